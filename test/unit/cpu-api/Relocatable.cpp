//===- Relocatable.cpp - A library of relocatable device code -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As nvcc -rdc=true links it: the registered fat binary has no PTX, and a section has a fat binary
// for each translation unit.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

namespace {

struct alignas(8) FatBinary {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 64 + 24;
  uint16_t Kind = 1, EntryVersion = 1; // PTX
  uint32_t EntryHeaderBytes = 64;
  uint64_t ContentBytes = 24;
  uint64_t Format = 0;
  uint32_t Unused = 0, Architecture = 80;
  uint64_t Rest[4] = {};
  char Content[24];
};

struct alignas(8) Empty {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 0, NoRecord[2] = {};
} Linked;

} // namespace

[[gnu::section("__nv_relfatbin"), gnu::used]] FatBinary Units[2] = {
    {.Content = ".version 8.0 // first"}, {.Content = ".version 8.0 // other"}};

extern "C" struct {
  uint32_t Magic, Version;
  const void *Data;
  void *Unused;
} RelocatableWrapper;
decltype(RelocatableWrapper) RelocatableWrapper{0x466243b1, 1, &Linked, nullptr};
