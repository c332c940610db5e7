//===- PolynomialReader.h - Reads polynomials from IR -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads values (their SCEV expression, and the phis and selects that ScalarEvolution does not
// analyse) and branch conditions as polynomials, for a closed form that is being built; see
// ClosedForms.h for their meaning. Rules beyond sums and products:
//
//   extension     the operand's polynomial is exact; below 32 bits, the remainder of a division by
//                 2^bits, since programs use narrow types and masks for that
//   x / y         rounded down, if x >= 0 and y >= 1. The part that y divides coefficient by
//                 coefficient is a polynomial; the rest a new unknown: derived, if the launch
//                 determines it, or a loop with a single iteration q for which 0 <= x - q * y < y
//   x & mask      the mask's runs of ones, each by a division and a remainder
//   min, max      one of the operands, if it is known which; in a condition, x <= min(y, z) is x <=
//                 y and x <= z; else by a decision
//   phi, select   the value that all others equal where they are selected; else by a decision
//   decision      an unknown that is 1 or 0: derived, if the launch determines it, or a loop with a
//                 single iteration, 1 if x >= 0 and 0 if x < 0
//   x < y         unsigned, where x may be negative as a signed number: 0 <= x < y
//   x != y        x < y or x > y, whichever is possible. In a loop that steps by c from x towards
//                 y, if the distance is a multiple of c: x < y
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_POLYNOMIALREADER_H
#define GMPROF_STATIC_ANALYSIS_POLYNOMIALREADER_H

#include "ClosedForms.h"
#include "Inequalities.h"

namespace llvm {
class APInt;
class PHINode;
class SCEV;
class SCEVAddRecExpr;
class SelectInst;
class Value;
} // namespace llvm

namespace gmprof {

class PolynomialReader {
public:
  PolynomialReader(llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI, const PathConditions &Paths,
                   const llvm::Function &F);

  SymbolicForm Form;        ///< everything read so far; Loops are outermost first
  Inequalities Known;       ///< facts at the points reached so far
  const char *Why = "";     ///< why the last read failed
  bool ReadsMemory = false; ///< true if something depended on memory

  /// Sets the innermost loop around the code whose values are read.
  void setScope(const llvm::Loop *L) { Scope = L; }
  /// Adds a loop and returns its factor. Until loopIsBounded(), values that change in it must not
  /// be divided.
  unsigned enterLoop(const llvm::Loop *L);
  void loopIsBounded() { Unbounded = 0; }

  /// Returns a polynomial congruent to S modulo 2^(width of S).
  std::optional<Polynomial> read(const llvm::SCEV *S);
  /// Returns polynomials that are all >= 0 exactly if the literal is true.
  std::optional<llvm::SmallVector<Polynomial, 2>> readLiteral(const Literal &A);
  /// Returns a polynomial that is at least 1 if the condition is true, else 0.
  std::optional<Polynomial> readWays(const Disjunction &D);

  /// Ensures that P is in [Min, Max], as a condition on the launch if necessary; returns false if
  /// that is impossible. The fact is known from then on, except for values that change in a loop
  /// being entered: it will hold for the iterations that the loop's constraints admit.
  bool require(const Polynomial &P, Wide Min, Wide Max);
  /// Returns the unproved requirements since the last call.
  std::vector<SymbolicCondition> takeRequirements() { return std::exchange(Required, {}); }
  /// Adds requirements as conditions on the points that satisfy the constraints so far.
  void addConditions(std::vector<SymbolicCondition> Requirements);
  void know(const SymbolicCondition &C);
  void addConstraint(int Loop, Polynomial NonNegative);

private:
  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &LI;
  const PathConditions &Paths;
  const llvm::Loop *Scope = nullptr;
  unsigned Unbounded = 0; ///< factor of the loop being entered
  bool Assuming = false;  ///< true while Known holds facts of one path only
  std::vector<SymbolicCondition> Required;
  /// The loop that stands for A / B, or for the decision A >= 0.
  struct Unknown {
    Polynomial A, B;
    unsigned Factor = 0;
  };
  std::vector<Unknown> Quotients, Decisions;
  struct Choice {
    Polynomial A, B;
    bool IsMax = false;
    unsigned Factor = 0;
  };
  std::vector<Choice> Choices;

  static constexpr const char *NotPolynomial =
      "the address is not a polynomial of what the launch determines";
  static constexpr const char *MayWrap = "the index may wrap around";
  static constexpr const char *TooComplex = "the address is too complex";
  static constexpr const char *Uneven = "the address does not change evenly in a loop";
  static constexpr const char *OfMemory = "the address depends on data in memory";

  std::nullopt_t refuse(const char *Reason) {
    Why = Reason;
    return std::nullopt;
  }
  std::optional<Polynomial> read(const llvm::SCEV *S, unsigned Depth);
  std::optional<Polynomial> readValue(llvm::Value *V, unsigned Depth);
  std::optional<Polynomial> readUnknown(llvm::Value *V, unsigned Depth);
  std::optional<Polynomial> readInstruction(llvm::Instruction &I, unsigned Depth);
  std::optional<Polynomial> readRecurrence(const llvm::SCEVAddRecExpr *Rec, unsigned Depth);
  std::optional<Polynomial> readPhi(llvm::PHINode &Phi, unsigned Depth);
  std::optional<Polynomial> readSelect(llvm::SelectInst &Select, unsigned Depth);
  std::optional<Polynomial> readMasked(const Polynomial &A, const llvm::APInt &Mask);
  std::optional<Polynomial> readMinMax(const llvm::SCEV *S, unsigned Depth);
  /// Returns the exact value of S as a signed or unsigned integer.
  std::optional<Polynomial> readNumber(const llvm::SCEV *S, bool Signed, unsigned Depth);

  /// Reads a value that is one of several, each under its own condition.
  std::optional<Polynomial>
  readAlternatives(llvm::ArrayRef<std::pair<Disjunction, llvm::Value *>> Ways, unsigned Depth);
  template <typename Result>
  Result under(const Disjunction &When, llvm::function_ref<Result()> Read);

  /// Returns 1 if the condition is true, else 0.
  std::optional<Polynomial> readDecision(const Literal &A);
  std::optional<Polynomial> readDecision(const Disjunction &D);

  bool fits(const Polynomial &P, unsigned Bits, bool Signed);
  std::optional<Polynomial> divide(const Polynomial &A, const Polynomial &B);
  std::optional<Polynomial> remainder(const Polynomial &A, int64_t Divisor);
  /// Returns 1 if P >= 0, else 0.
  std::optional<Polynomial> isNotNegative(const Polynomial &P);
  std::optional<Polynomial> newDerived(GmprofDerived Operation, const Polynomial &A,
                                       const Polynomial &B);
  std::optional<unsigned> newLoopUnknown(const Polynomial &P, Wide Min, Wide Max);
  void knowDerived(unsigned Number);
  std::optional<Polynomial> newChoice(const Polynomial &A, const Polynomial &B, bool IsMax);
  void knowChoice(const Choice &C);
  std::optional<Polynomial> decideChoices(Polynomial P);
  bool hasChoice(const Polynomial &P) const;
  bool choose(const Polynomial &P, llvm::SmallVector<Polynomial, 2> &Result);
  std::optional<llvm::SmallVector<Polynomial, 2>> readComparison(const Literal::Comparison &A);
  std::optional<llvm::SmallVector<Polynomial, 2>>
  readUnsignedLess(const Polynomial &A, const Polynomial &B, int64_t By, unsigned Bits);
  std::optional<llvm::SmallVector<Polynomial, 2>> readDifferent(const Polynomial &Difference,
                                                                unsigned Bits);
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_POLYNOMIALREADER_H
