//===- Polynomials.h - Polynomials of launch unknowns -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer polynomials in the unknowns of a launch: thread and block index, dimensions, kernel
// parameters, and loop iterations (enum GmprofFactor).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_POLYNOMIALS_H
#define GMPROF_STATIC_ANALYSIS_POLYNOMIALS_H

#include "gmprof/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <map>
#include <optional>

namespace llvm {
class Function;
class IntrinsicInst;
} // namespace llvm

namespace gmprof {

/// Holds products of coefficients.
using Wide = __int128;

/// A sum of integer coefficients times products of unknowns.
struct Polynomial {
  /// The sorted factors of a term (GmprofFactor); empty for the constant.
  using Product = llvm::SmallVector<uint8_t, 4>;
  struct Shorter {
    bool operator()(const Product &A, const Product &B) const {
      return A.size() != B.size() ? A.size() < B.size() : A < B;
    }
  };
  std::map<Product, int64_t, Shorter> Terms; ///< no coefficient is 0
  /// True if a coefficient or product got too large: Terms are then invalid.
  bool TooComplex = false;

  Polynomial() = default;
  Polynomial(int64_t Constant) { addTerm({}, Constant); } // NOLINT: meant to convert
  static Polynomial unknown(unsigned Factor);

  bool isConstant() const {
    return Terms.empty() || (Terms.size() == 1 && Terms.begin()->first.empty());
  }
  int64_t constant() const;
  void addTerm(const Product &Factors, Wide Coefficient);

  Polynomial &operator+=(const Polynomial &Other);
  Polynomial &operator-=(const Polynomial &Other) { return *this += Other * -1; }
  friend Polynomial operator+(Polynomial A, const Polynomial &B) { return A += B; }
  friend Polynomial operator-(Polynomial A, const Polynomial &B) { return A -= B; }
  friend Polynomial operator*(const Polynomial &A, const Polynomial &B);
  bool operator==(const Polynomial &) const = default;

  /// Returns true if Test is true for any factor of any term.
  template <typename Predicate> bool anyFactor(Predicate Test) const {
    return llvm::any_of(Terms, [&](const auto &Term) { return llvm::any_of(Term.first, Test); });
  }
  bool has(unsigned Factor) const {
    return anyFactor([Factor](unsigned F) { return F == Factor; });
  }
  /// Returns the highest power of Factor.
  unsigned degree(unsigned Factor) const;
  /// Returns the polynomial that multiplies Factor, whose degree must be at most 1.
  Polynomial slope(unsigned Factor) const;
  /// Substitutes Value for Factor.
  Polynomial replace(unsigned Factor, const Polynomial &Value) const;
  /// Renames the unknowns.
  Polynomial rename(llvm::function_ref<unsigned(unsigned)> NewFactor) const;
  /// Divides the coefficients by Divisor > 0, rounding down. Remainder receives coefficients from 0
  /// to Divisor - 1.
  Polynomial dividedBy(int64_t Divisor, Polynomial &Remainder) const;
  /// Returns the greatest common divisor of all coefficients except the constant; 0 if there are
  /// none.
  uint64_t contentWithoutConstant() const;

  void print(llvm::raw_ostream &OS) const;
};

/// The integers from Min to Max; a bound of ±Unbounded or beyond is unknown.
struct Interval {
  static constexpr Wide Unbounded = Wide(1) << 100;
  Wide Min = -Unbounded, Max = Unbounded;

  friend Interval operator+(Interval A, Interval B);
  friend Interval operator*(Interval A, Interval B);
};

inline bool isLoop(unsigned Factor) {
  return Factor >= GMPROF_FACTOR_LOOP && Factor < GMPROF_FACTOR_PARAMETER;
}
/// Returns true if the factor is the same for all threads, blocks and iterations.
inline bool isSameInLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_NTID_X && Factor <= GMPROF_FACTOR_NTID_Z) ||
         (Factor >= GMPROF_FACTOR_NCTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}
/// Returns true if the factor depends on the launch beyond the block's shape.
inline bool isOfLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_CTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}
inline bool isSameInLaunch(const Polynomial &P) {
  return !P.anyFactor([](unsigned Factor) { return !isSameInLaunch(Factor); });
}

/// Returns the factor for the value of tid, ntid, ctaid or nctaid, if I reads one.
std::optional<unsigned> factorOfRegister(const llvm::IntrinsicInst &I);
/// Returns the register's range by CUDA's limits (compute capability 7.5 to 12).
Interval rangeOfRegister(unsigned Factor, int64_t MaxThreads);
/// Returns the maximum number of threads per block according to the kernel's attributes.
int64_t maxThreadsOfBlock(const llvm::Function &F);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_POLYNOMIALS_H
