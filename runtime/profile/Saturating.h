//===- Saturating.h - Saturating arithmetic ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SATURATING_H
#define GMPROF_PROFILE_SATURATING_H

#include <concepts>
#include <limits>

namespace gmprof {

template <std::unsigned_integral T> constexpr T addSaturating(T A, T B) {
  return A > std::numeric_limits<T>::max() - B ? std::numeric_limits<T>::max() : T(A + B);
}

template <std::unsigned_integral T> constexpr T mulSaturating(T A, T B) {
  return B != 0 && A > std::numeric_limits<T>::max() / B ? std::numeric_limits<T>::max() : T(A * B);
}

} // namespace gmprof

#endif // GMPROF_PROFILE_SATURATING_H
