//===- PathConditions.cpp - Conditions of execution -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "PathConditions.h"
#include "UniformExecution.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace gmprof;

/// Limits beyond which conditions are not worth following.
static constexpr unsigned MaxConjunctions = 8, MaxLiterals = 16, MaxDepth = 24;

const BasicBlock *PathConditions::dominatorOf(const BasicBlock &BB) const {
  const auto *Node = DT.getNode(&BB);
  if (!Node || !Node->getIDom())
    return nullptr;
  const BasicBlock *Result = Node->getIDom()->getBlock();
  for (const Loop *L = LI.getLoopFor(Result); L && !L->contains(&BB);
       L = Result ? LI.getLoopFor(Result) : nullptr)
    Result = L->getLoopPreheader();
  return Result;
}

/// Returns true if all paths from From reach To in the same iteration of the surrounding loops,
/// unless they leave the loop or end the kernel.
bool PathConditions::isAlwaysReached(const BasicBlock &From, const BasicBlock &To) const {
  const Loop *L = LI.getLoopFor(&From);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 8> Worklist{&From};
  while (!Worklist.empty()) {
    const BasicBlock *BB = Worklist.pop_back_val();
    if (succ_empty(BB) || Flow.mayLeaveIn(*BB))
      return false;
    for (const BasicBlock *Succ : successors(BB)) {
      if (Succ == &To || Flow.endsKernel(*Succ) || (L && !L->contains(Succ)))
        continue;
      if (L && Succ == L->getHeader())
        return false;
      if (Seen.insert(Succ).second)
        Worklist.push_back(Succ);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Boolean algebra
//===----------------------------------------------------------------------===//

std::optional<Literal::Comparison> Literal::comparison() const {
  if (Case)
    return Comparison{IsTrue ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE, Condition, Case};
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare)
    return std::nullopt;
  return Comparison{IsTrue ? Compare->getPredicate() : Compare->getInversePredicate(),
                    Compare->getOperand(0), Compare->getOperand(1)};
}

static bool isSame(const Literal &A, const Literal &B) {
  if (A.Condition == B.Condition && A.Case == B.Case)
    return A.IsTrue == B.IsTrue;
  auto ComparisonA = A.comparison();
  return ComparisonA && ComparisonA == B.comparison();
}

static Literal contrary(const Literal &A) { return {A.Condition, !A.IsTrue, A.Case}; }

static bool contains(const Conjunction &C, const Literal &A) {
  return any_of(C, [&](const Literal &B) { return isSame(A, B); });
}

static bool containsAll(const Conjunction &Large, const Conjunction &Small) {
  return all_of(Small, [&](const Literal &A) { return contains(Large, A); });
}

/// Adds A to C; returns false if C becomes contradictory.
static bool add(Conjunction &C, const Literal &A) {
  if (contains(C, contrary(A)))
    return false;
  if (!contains(C, A))
    C.push_back(A);
  return true;
}

static std::optional<Disjunction> conjunction(const Disjunction &A, const Disjunction &B) {
  Disjunction Result;
  for (const Conjunction &Left : A)
    for (const Conjunction &Right : B) {
      Conjunction Both = Left;
      if (all_of(Right, [&](const Literal &L) { return add(Both, L); }))
        Result.push_back(std::move(Both));
      if (Result.size() > MaxConjunctions ||
          (!Result.empty() && Result.back().size() > MaxLiterals))
        return std::nullopt;
    }
  return Result;
}

/// Applies A and (B or not B) = A, and drops conjunctions that another one implies.
static void simplify(Disjunction &D) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < D.size() && !Changed; ++I)
      for (size_t J = 0; J < D.size() && !Changed; ++J) {
        if (I == J)
          continue;
        if (containsAll(D[J], D[I])) {
          D.erase(D.begin() + J);
          Changed = true;
          break;
        }
        for (size_t K = 0; K < D[I].size(); ++K) {
          Conjunction Rest = D[I];
          Rest.erase(Rest.begin() + K);
          if (contains(D[J], contrary(D[I][K])) && containsAll(D[J], Rest)) {
            // Drop the contrary from J: where it is false, I is true.
            erase_if(D[J], [&](const Literal &A) { return isSame(A, contrary(D[I][K])); });
            Changed = true;
            break;
          }
        }
      }
  }
}

std::optional<Disjunction> PathConditions::expand(Value &Condition, bool IsTrue,
                                                  unsigned Depth) const {
  using namespace PatternMatch;
  if (Depth > 8)
    return std::nullopt;
  Value *A, *B;
  if (match(&Condition, m_Not(m_Value(A))))
    return expand(*A, !IsTrue, Depth + 1);
  const bool IsAnd = match(&Condition, m_LogicalAnd(m_Value(A), m_Value(B)));
  if (IsAnd || match(&Condition, m_LogicalOr(m_Value(A), m_Value(B)))) {
    std::optional<Disjunction> Left = expand(*A, IsTrue, Depth + 1);
    std::optional<Disjunction> Right = expand(*B, IsTrue, Depth + 1);
    if (!Left || !Right)
      return std::nullopt;
    if (IsAnd == IsTrue)
      return conjunction(*Left, *Right);
    append_range(*Left, *Right);
    return Left->size() > MaxConjunctions ? std::nullopt : Left;
  }
  if (auto *Constant = dyn_cast<ConstantInt>(&Condition))
    return Constant->isOne() == IsTrue ? Disjunction{Conjunction()} : Disjunction();
  return Disjunction{Conjunction{{&Condition, IsTrue, nullptr}}};
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Returns the condition under which BB branches to Succ.
static std::optional<Disjunction> edge(const PathConditions &Paths, const ControlFlow &Flow,
                                       const BasicBlock &BB, const BasicBlock &Succ) {
  const Instruction *End = BB.getTerminator();
  if (all_of(successors(&BB), [&](auto *S) { return S == &Succ || Flow.endsKernel(*S); }))
    return Disjunction{Conjunction()};
  if (Flow.mayLeaveIn(BB))
    return std::nullopt;
  if (auto *Branch = dyn_cast<BranchInst>(End))
    return Paths.expand(*Branch->getCondition(), Branch->getSuccessor(0) == &Succ);
  auto *Switch = dyn_cast<SwitchInst>(const_cast<Instruction *>(End));
  if (!Switch || Switch->getNumCases() > MaxConjunctions)
    return std::nullopt;
  // Any case that leads to Succ; for the default, none of the other cases.
  Disjunction Result;
  Conjunction Others;
  for (const auto &Case : Switch->cases()) {
    if (Case.getCaseSuccessor() == &Succ)
      Result.push_back({{Switch->getCondition(), true, Case.getCaseValue()}});
    else
      Others.push_back({Switch->getCondition(), false, Case.getCaseValue()});
  }
  if (Switch->getDefaultDest() == &Succ)
    return Disjunction{std::move(Others)};
  return Result;
}

std::optional<Disjunction> PathConditions::over(const BasicBlock &From, const BasicBlock &Pred,
                                                const BasicBlock &To, unsigned Depth) const {
  const Loop *L = LI.getLoopFor(&Pred);
  if (L && !L->contains(&To)) {
    // An exit of a loop that leads nowhere else.
    while (L->getParentLoop() && !L->getParentLoop()->contains(&To))
      L = L->getParentLoop();
    const BasicBlock *Preheader = L->getLoopPreheader();
    if (!Preheader || !isAlwaysReached(*Preheader, To))
      return std::nullopt;
    return paths(From, *Preheader, Depth);
  }
  std::optional<Disjunction> Before = paths(From, Pred, Depth);
  std::optional<Disjunction> Last = Before ? edge(*this, Flow, Pred, To) : std::nullopt;
  return Last ? conjunction(*Before, *Last) : std::nullopt;
}

std::optional<Disjunction> PathConditions::paths(const BasicBlock &From, const BasicBlock &To,
                                                 unsigned Depth) const {
  if (&From == &To)
    return Disjunction{Conjunction()};
  const BasicBlock *Dominator = Depth < MaxDepth ? dominatorOf(To) : nullptr;
  if (!Dominator)
    return std::nullopt;
  if (isAlwaysReached(*Dominator, To))
    return paths(From, *Dominator, Depth + 1);
  const Loop *L = LI.getLoopFor(&To);
  if (L && L->getHeader() == &To)
    return std::nullopt;
  Disjunction Result;
  SmallPtrSet<const BasicBlock *, 4> Preds;
  for (const BasicBlock *Pred : predecessors(&To)) {
    if (!Preds.insert(Pred).second)
      continue;
    std::optional<Disjunction> Ways = over(From, *Pred, To, Depth + 1);
    if (!Ways)
      return std::nullopt;
    append_range(Result, *Ways);
  }
  if (Result.size() > MaxConjunctions)
    return std::nullopt;
  simplify(Result);
  return Result;
}

std::optional<Disjunction> PathConditions::through(const BasicBlock &Pred,
                                                   const BasicBlock &BB) const {
  const BasicBlock *Dominator = dominatorOf(BB);
  for (const Loop *L = LI.getLoopFor(&Pred); L && !L->contains(&BB); L = L->getParentLoop()) {
    // A loop with several exits decides inside which one is taken.
    SmallVector<Loop::Edge, 4> Exits;
    L->getExitEdges(Exits);
    if (count_if(Exits, [&](const auto &Exit) { return !Flow.endsKernel(*Exit.second); }) != 1)
      return std::nullopt;
  }
  return Dominator ? over(*Dominator, Pred, BB, 0) : std::nullopt;
}

std::optional<Disjunction> PathConditions::afterDominator(const BasicBlock &BB) const {
  const BasicBlock *Dominator = dominatorOf(BB);
  std::optional<Disjunction> Result = Dominator ? paths(*Dominator, BB, 0) : std::nullopt;
  if (!Result || Result->size() < 2)
    return Result;
  for (const Instruction &I : BB) {
    auto *Assume = dyn_cast<AssumeInst>(&I);
    std::optional<Disjunction> Assumed =
        Assume ? expand(*Assume->getArgOperand(0), true) : std::nullopt;
    if (!Assumed || Assumed->size() != 1)
      continue;
    std::optional<Disjunction> Both = conjunction(*Result, *Assumed);
    if (Both)
      Result = std::move(Both);
  }
  simplify(*Result);
  return Result;
}
