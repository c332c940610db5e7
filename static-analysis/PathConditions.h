//===- PathConditions.h - Conditions of execution ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block executes in an iteration of its surrounding loops if its immediate dominator does and the
// branches between them lead to it: a disjunction over the paths of conjunctions of branch
// conditions. Inner loops on the path terminate and count as one block; paths that end the kernel
// in a trap or a failed assertion are ignored. Exits of surrounding loops are not considered here:
// the caller has to know for which iterations the loop continues.
//
// Facts from llvm.assume in the block are used for simplification: clang's unroller leaves a
// remainder loop that is entered from two sides and assumes that an iteration is left.
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

/// A condition that is true, or false if !IsTrue.
struct Literal {
  llvm::Value *Condition = nullptr; ///< i1, and not itself an and, or or not
  bool IsTrue = true;
  /// If not null, the condition is that Condition, the operand of a switch, equals Case.
  llvm::ConstantInt *Case = nullptr;

  /// The equivalent comparison of two values, inverted if !IsTrue.
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

  /// Returns the nearest block that dominates BB and is in no loop other than BB's; null for the
  /// function's entry, or if a loop on the path has no preheader.
  const llvm::BasicBlock *dominatorOf(const llvm::BasicBlock &BB) const;

  /// Returns the condition under which BB executes after its dominatorOf; nullopt if branch
  /// conditions cannot express it.
  std::optional<Disjunction> afterDominator(const llvm::BasicBlock &BB) const;
  /// Returns the condition of the paths from BB's dominatorOf over Pred to BB.
  std::optional<Disjunction> through(const llvm::BasicBlock &Pred,
                                     const llvm::BasicBlock &BB) const;

  /// Expands Condition, or its contrary, into conditions without and, or and not.
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
