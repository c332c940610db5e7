//===- Cases.h - Executes PTX instructions ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values were derived from the PTX manual. Instructions that become NVVM intrinsics are
// tested in depth with the intrinsics.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CPU_PTX_CASES_H
#define GMPROF_TEST_CPU_PTX_CASES_H

#include "Harness.h"

namespace gmprof::cpu::test {

inline U128 address(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// An asm statement with its operands and the expected first result.
struct Case {
  const char *Text, *Constraints;
  std::initializer_list<U128> Args;
  uint64_t Expected;
};

/// Executes each statement, as inline PTX and in a module, and compares the results.
void check(std::initializer_list<Case> Cases);

constexpr const char *Unary = "=r,r", *Binary = "=r,r,r", *Ternary = "=r,r,r,r";
constexpr const char *Unary64 = "=l,l", *Binary64 = "=l,l,l";
constexpr uint32_t Min32 = 0x80000000, Max32 = 0x7fffffff;
constexpr uint32_t One = 0x3f800000, Two = 0x40000000, Three = 0x40400000, Half32 = 0x3f000000;

} // namespace gmprof::cpu::test

#endif // GMPROF_TEST_CPU_PTX_CASES_H
