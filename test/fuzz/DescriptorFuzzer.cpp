//===- DescriptorFuzzer.cpp - Fuzzes the decoder of kernels' descriptors ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/KernelDescriptor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  (void)gmprof::decodeDescriptor({reinterpret_cast<const std::byte *>(Data), Size});
  return 0;
}
