//===- Divisor.h - Fast division by a constant of a run ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_DIVISOR_H
#define GMPROF_CACHE_DIVISOR_H

#include <cstdint>

namespace gmprof::cache {

/// Divides by multiplying with the reciprocal where that is exact.
class Divisor {
  uint64_t By;
  uint64_t Reciprocal; ///< 2^64 / By, rounded up
  uint64_t Exact;      ///< below this, the rounding of the reciprocal does not change the quotient

public:
  explicit Divisor(uint64_t By)
      : By(By), Reciprocal(~uint64_t(0) / By + 1), Exact(By == 1 ? 0 : ~uint64_t(0) / By) {}

  uint64_t exact() const { return Exact; }
  /// Returns the quotient of a number below exact().
  uint64_t exactQuotient(uint64_t N) const {
    using Wide = unsigned __int128;
    return static_cast<uint64_t>(Wide(N) * Reciprocal >> 64);
  }
  uint64_t quotient(uint64_t N) const { return N < Exact ? exactQuotient(N) : N / By; }
  uint64_t rest(uint64_t N) const { return N - quotient(N) * By; }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_DIVISOR_H
