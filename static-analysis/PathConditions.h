//===- PathConditions.h - On which conditions a block executes --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block executes in an iteration of the loops around it if its immediate
// dominator does and the branches between them lead there: a disjunction, over the
// paths, of conjunctions of branch conditions. Inner loops on the way come to an
// end, and count as one block; so do paths that end the kernel in a trap or a failed
// assertion as none. That a loop around the block is left is not looked at here:
// who asks has to know for which iterations it goes on.
//
// What llvm.assume says in the block is used to simplify: the loop that clang's
// unroller leaves for the last iterations is entered from two sides, and assumes
// that there are any.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_PATHCONDITIONS_H
#define GMPROF_STATIC_ANALYSIS_PATHCONDITIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace llvm {
class BasicBlock;
class ConstantInt;
class DominatorTree;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace gmprof {

class ControlFlow;

/// A condition that holds, or (if not IsTrue) does not.
struct Literal {
  llvm::Value *Condition = nullptr; ///< i1; no and, or, not of others
  bool IsTrue = true;
  /// The condition is that the value Condition, of which a switch is made, is Case.
  llvm::ConstantInt *Case = nullptr;

  /// The comparison of two values that this is, turned if it is not true.
  struct Comparison {
    llvm::CmpInst::Predicate Predicate;
    llvm::Value *Left, *Right;
    bool operator==(const Comparison &) const = default;
  };
  std::optional<Comparison> comparison() const;
};
using Conjunction = llvm::SmallVector<Literal, 4>; ///< in the order of evaluation
using Disjunction = llvm::SmallVector<Conjunction, 2>;

class PathConditions {
public:
  PathConditions(const llvm::LoopInfo &LI, const llvm::DominatorTree &DT, const ControlFlow &Flow)
      : LI(LI), DT(DT), Flow(Flow) {}

  /// The nearest block that dominates BB and is in no loop but those around BB;
  /// null for the entry of the function, or if a loop on the way has no preheader.
  const llvm::BasicBlock *dominatorOf(const llvm::BasicBlock &BB) const;

  /// When BB executes after its dominatorOf; nullopt if that is not to be said in
  /// branch conditions.
  std::optional<Disjunction> afterDominator(const llvm::BasicBlock &BB) const;
  /// The conditions of the ways from BB's dominatorOf over Pred to BB.
  std::optional<Disjunction> through(const llvm::BasicBlock &Pred,
                                     const llvm::BasicBlock &BB) const;

  /// Condition (or its contrary) without and, or and not.
  std::optional<Disjunction> expand(llvm::Value &Condition, bool IsTrue, unsigned Depth = 0) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const ControlFlow &Flow;

  bool isAlwaysReached(const llvm::BasicBlock &From, const llvm::BasicBlock &To) const;
  std::optional<Disjunction> paths(const llvm::BasicBlock &From, const llvm::BasicBlock &To,
                                   unsigned Depth) const;
  std::optional<Disjunction> over(const llvm::BasicBlock &From, const llvm::BasicBlock &Pred,
                                  const llvm::BasicBlock &To, unsigned Depth) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_PATHCONDITIONS_H
