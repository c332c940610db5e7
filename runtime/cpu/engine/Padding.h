//===- Padding.h - Bytes between allocations --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations and variables begin at multiples of 256 bytes. A table has a byte for each 256 bytes
// of the address space: the number of bytes at their end that belong to no object. Device code
// looks it up before each access of global memory (LowerBounds.cpp); guardPadding (Engine.h) fills
// it. Only the touched pages of the table use memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_PADDING_H
#define GMPROF_CPU_ENGINE_PADDING_H

#include <cstdint>

namespace gmprof::cpu {

constexpr unsigned AddressBits = 47; ///< of a process
constexpr unsigned PaddingUnitBits = 8;

/// Returns the address of the table; 0 if the address space is limited to less than it needs, which
/// leaves padding unguarded.
uint64_t paddingTable();

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_PADDING_H
