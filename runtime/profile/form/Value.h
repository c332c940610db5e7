//===- Value.h - Polynomials of a launch's unknowns -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials of the unknowns of a launch (thread index, block index, loop iterations) with the
// launch's values substituted, ranges of the unknowns, and arithmetic on both.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_FORM_VALUE_H
#define GMPROF_PROFILE_FORM_VALUE_H

#include "profile/ClosedForm.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gmprof::form {

using Wide = __int128;

/// Bound of coefficients and constants: sums and products of a few of them do not overflow.
inline constexpr Wide Limit = Wide(1) << 60;
/// Value of an unbounded end of a range.
inline constexpr Wide Infinity = Wide(1) << 120;

/// First index of the unknowns blockIdx and loops (threadIdx begins at 0), and their number.
inline constexpr unsigned Blocks = BlockUnknowns, Loops = LoopUnknowns, Unknowns = FormUnknowns;
using Mask = uint32_t;

struct Range {
  Wide Lo = 0, Hi = 0;
  bool empty() const { return Lo > Hi; }
  bool bounded() const { return Hi < Infinity; }
  Wide extent() const { return Hi - Lo + 1; }
};
using Box = std::array<Range, Unknowns>;

/// A polynomial whose launch-determined factors are replaced by their values.
struct Value {
  struct Product {
    Wide Coefficient;
    std::vector<uint8_t> Factors; ///< two or more unknowns
  };
  Wide Constant = 0;
  std::array<Wide, Unknowns> Linear = {};
  std::vector<Product> Products;

  Mask inProducts() const {
    Mask M = 0;
    for (const Product &P : Products)
      for (uint8_t U : P.Factors)
        M |= Mask(1) << U;
    return M;
  }
  Mask unknowns() const {
    Mask M = inProducts();
    for (unsigned U = 0; U < Unknowns; ++U)
      M |= Mask(Linear[U] != 0) << U;
    return M;
  }
};

inline bool tooLarge(Wide W) { return W < -Limit || W > Limit; }

/// Sums and products that saturate at ±Infinity.
inline Wide clamp(Wide W) { return std::clamp(W, -Infinity, Infinity); }
inline Wide add(Wide A, Wide B) { return clamp(A + B); }
inline Wide multiply(Wide A, Wide B) {
  Wide Product;
  if (!__builtin_mul_overflow(A, B, &Product))
    return clamp(Product);
  return (A < 0) == (B < 0) ? Infinity : -Infinity;
}

inline Wide floorDivide(Wide A, Wide B) { return A / B - (A % B != 0 && (A < 0) != (B < 0)); }

/// Returns the interval of V over the box B, with the linear term of `Without` taken as zero.
Range boundsOf(const Value &V, const Box &B, unsigned Without = Unknowns);

/// Returns an upper bound of the absolute value of any partial sum of V over the box B.
Wide magnitude(const Value &V, const Box &B);

/// Returns A + Factor * B, or nothing if a coefficient exceeds Limit.
std::optional<Value> sum(Value A, const Value &B, Wide Factor);

/// Adds Coefficient times the product of the sorted Factors; returns false if it exceeds Limit.
bool addProduct(Value &To, Wide Coefficient, std::vector<uint8_t> Factors);

/// Substitutes the value `At` for the unknown U in V; returns false if a coefficient exceeds Limit.
bool fix(Value &V, unsigned U, Wide At);

} // namespace gmprof::form

#endif // GMPROF_PROFILE_FORM_VALUE_H
