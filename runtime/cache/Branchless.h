//===- Branchless.h - Branch-free selection ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hits and misses are close to random, and so are conditions that depend on them. A mispredicted
// branch costs as much as a lookup, but compilers tend to emit branches for such conditions:
// without these functions, gathers of 64 MB are simulated 12 to 14 % slower (gmprof-cache-bench).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_BRANCHLESS_H
#define GMPROF_CACHE_BRANCHLESS_H

#include <cstdint>

namespace gmprof::cache {

/// Returns the same number; hides its value from the optimizer.
inline uint32_t opaque(uint32_t Number) {
  asm("" : "+r"(Number)); // NOLINT(hicpp-no-assembler)
  return Number;
}

/// Returns all ones if Condition holds, else zero.
inline uint32_t allIf(bool Condition) { return opaque(-uint32_t(Condition)); }

/// Returns whether all conditions hold, without short-circuit evaluation.
template <typename... Bools> inline bool areAll(Bools... Conditions) {
  return opaque((static_cast<uint32_t>(Conditions) & ...)) != 0;
}

} // namespace gmprof::cache

#endif // GMPROF_CACHE_BRANCHLESS_H
