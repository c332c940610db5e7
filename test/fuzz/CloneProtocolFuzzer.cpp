//===- CloneProtocolFuzzer.cpp - Fuzzes requests for clones ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneProtocol.h"

using namespace gmprof;

/// A message that was decoded is the only one with these fields.
template <typename Message>
static void checkAgain(const std::optional<Message> &Decoded, std::string_view Body) {
  if (Decoded && std::string_view(encode(*Decoded)).substr(sizeof(FrameHeader)) != Body)
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const std::string_view Body(reinterpret_cast<const char *>(Data), Size);
  checkAgain(decodeRequest(Body), Body);
  checkAgain(decodeAnswer(Body), Body);
  return 0;
}
