//===- Polynomials.h - Sums of products of a launch's unknowns --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer polynomials in what a launch is made of: thread and block index,
// dimensions, kernel parameters, and the iterations of loops (enum GmprofFactor).
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

/// Wide enough for products of coefficients.
using Wide = __int128;

/// A sum of integer coefficients times products of unknowns.
struct Polynomial {
  /// The sorted factors of a term: values of GmprofFactor. None: the constant.
  using Product = llvm::SmallVector<uint8_t, 4>;
  struct Shorter {
    bool operator()(const Product &A, const Product &B) const {
      return A.size() != B.size() ? A.size() < B.size() : A < B;
    }
  };
  std::map<Product, int64_t, Shorter> Terms; ///< no coefficient is 0
  /// A coefficient or a product got too large: Terms are not the value.
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

  /// Whether Test says yes to a factor of any term.
  template <typename Predicate> bool anyFactor(Predicate Test) const {
    return llvm::any_of(Terms, [&](const auto &Term) { return llvm::any_of(Term.first, Test); });
  }
  bool has(unsigned Factor) const {
    return anyFactor([Factor](unsigned F) { return F == Factor; });
  }
  /// The highest power of Factor.
  unsigned degree(unsigned Factor) const;
  /// The polynomial that Factor is multiplied by; the degree is at most 1.
  Polynomial slope(unsigned Factor) const;
  /// Value in the place of Factor.
  Polynomial replace(unsigned Factor, const Polynomial &Value) const;
  /// The same with the unknowns renamed.
  Polynomial rename(llvm::function_ref<unsigned(unsigned)> NewFactor) const;
  /// The quotients of the coefficients by Divisor > 0, rounded down. What remains
  /// has coefficients from 0 to Divisor - 1.
  Polynomial dividedBy(int64_t Divisor, Polynomial &Remainder) const;
  /// The greatest common divisor of all coefficients but the constant; 0 if none.
  uint64_t contentWithoutConstant() const;

  void print(llvm::raw_ostream &OS) const;
};

/// All integers from Min to Max; beyond Unbounded nothing is known.
struct Interval {
  static constexpr Wide Unbounded = Wide(1) << 100;
  Wide Min = -Unbounded, Max = Unbounded;

  friend Interval operator+(Interval A, Interval B);
  friend Interval operator*(Interval A, Interval B);
};

inline bool isLoop(unsigned Factor) {
  return Factor >= GMPROF_FACTOR_LOOP && Factor < GMPROF_FACTOR_PARAMETER;
}
/// Whether the factor is the same for all threads, blocks and iterations.
inline bool isSameInLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_NTID_X && Factor <= GMPROF_FACTOR_NTID_Z) ||
         (Factor >= GMPROF_FACTOR_NCTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}
/// Whether the launch, more than the shape of a block, decides on the factor.
inline bool isOfLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_CTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}
inline bool isSameInLaunch(const Polynomial &P) {
  return !P.anyFactor([](unsigned Factor) { return !isSameInLaunch(Factor); });
}

/// The factor for the value of tid, ntid, ctaid or nctaid, if I reads one.
std::optional<unsigned> factorOfRegister(const llvm::IntrinsicInst &I);
/// Its range, by the limits of CUDA (compute capability 7.5 to 12).
Interval rangeOfRegister(unsigned Factor, int64_t MaxThreads);
/// What the kernel's attributes say of the number of threads of a block.
int64_t maxThreadsOfBlock(const llvm::Function &F);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_POLYNOMIALS_H
