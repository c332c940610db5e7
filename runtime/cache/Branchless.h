//===- Branchless.h - Choices that nobody can predict -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a line is there is as good as random, and so is what depends on it. A branch that the
// processor predicts wrongly takes as long as a lookup; compilers like to make branches all the
// same.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_BRANCHLESS_H
#define GMPROF_CACHE_BRANCHLESS_H

#include <cstdint>

namespace gmprof::cache {

/// The same number, of which the compiler knows nothing.
inline uint32_t opaque(uint32_t Number) {
  asm("" : "+r"(Number)); // NOLINT(hicpp-no-assembler)
  return Number;
}

/// All bits if so, none if not.
inline uint32_t allIf(bool Condition) { return opaque(-uint32_t(Condition)); }

/// Whether all of these are so, and not one after the other.
template <typename... Bools> inline bool areAll(Bools... Conditions) {
  return opaque((static_cast<uint32_t>(Conditions) & ...)) != 0;
}

} // namespace gmprof::cache

#endif // GMPROF_CACHE_BRANCHLESS_H
