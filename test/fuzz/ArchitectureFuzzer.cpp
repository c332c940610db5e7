//===- ArchitectureFuzzer.cpp - Fuzzes the reader of GPUs' descriptions -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Architecture.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  (void)gmprof::cache::parseArchitecture({reinterpret_cast<const char *>(Data), Size}, "fuzz");
  return 0;
}
