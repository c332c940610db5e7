//===- Plain.cpp - A library whose fat binary has no code -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>

namespace {
struct alignas(8) FatBinary {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 0;
  uint64_t NoRecord = 0, More = 0;
} TheBinary;
} // namespace

extern "C" struct {
  uint32_t Magic, Version;
  const void *Data;
  void *Unused;
} PlainWrapper;
decltype(PlainWrapper) PlainWrapper{0x466243b1, 1, &TheBinary, nullptr};
