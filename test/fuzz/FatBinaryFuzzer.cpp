//===- FatBinaryFuzzer.cpp - Fuzzes the reader of fat binaries ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/FatBinary.h"

using namespace gmprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const std::string_view Bytes(reinterpret_cast<const char *>(Data), Size);
  const auto Entries = fatBinaryEntries(Bytes);
  if (!Entries)
    return 0;
  for (const FatBinaryEntry &E : *Entries) {
    if (E.Content.data() < Bytes.data() || E.Content.size() > Size)
      __builtin_trap();
    // Skips entries that claim to be large: they take long and test nothing else.
    if (E.Bytes > (1 << 20))
      continue;
    const Result<std::string> Content = contentOf(E);
    if (Content && Content->size() > E.Bytes)
      __builtin_trap();
  }
  return 0;
}
