//===- ClosedForms.cpp - Accesses as functions of the launch --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "ClosedForms.h"
#include "AddressSpaces.h"
#include "PolynomialReader.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gmprof;

static constexpr Wide Largest = Wide(1) << 62;
/// Limits beyond which evaluating a form costs more than counting.
static constexpr size_t MaxConstraints = 48, MaxConditions = 64;

namespace {

/// Finds the set of points that execute a block: constraints and loops, from the kernel's entry
/// inwards.
class Domain {
public:
  Domain(PolynomialReader &Reader, const LoopInfo &LI, const DominatorTree &DT,
         const ControlFlow &Flow, const PathConditions &Paths)
      : Reader(Reader), LI(LI), DT(DT), Flow(Flow), Paths(Paths) {}

  bool find(const BasicBlock &Target);
  const char *Why = "";

private:
  PolynomialReader &Reader;
  const LoopInfo &LI;
  const DominatorTree &DT;
  const ControlFlow &Flow;
  const PathConditions &Paths;

  /// A loop whose constraints are being determined.
  struct Entry {
    const Loop &L;
    unsigned Factor;
    int Number;
    bool IsBounded = false;
    std::vector<SymbolicConstraint> Constraints;
    /// Conditions at the loop's entry, and in its iterations.
    std::vector<SymbolicCondition> Before, Within;
  };

  bool refuse(const char *Reason) {
    Why = Reason;
    return false;
  }
  bool reach(const BasicBlock &BB);
  bool decide(const Disjunction &Ways);
  bool enter(const Loop &L, const BasicBlock &Target);
  bool addExit(Entry &E, const Literal &Stay, bool ComesFirst);
  bool addExit(Entry &E, const Polynomial &Stay, bool ComesFirst);
};

} // namespace

bool Domain::find(const BasicBlock &Target) {
  SmallVector<const BasicBlock *, 8> Chain;
  for (const BasicBlock *BB = &Target; BB; BB = Paths.dominatorOf(*BB))
    Chain.push_back(BB);
  if (!Chain.back()->isEntryBlock())
    return refuse("the loop has several entries");
  for (const BasicBlock *BB : reverse(Chain)) {
    const Loop *L = LI.getLoopFor(BB);
    const bool IsHeader = L && L->getHeader() == BB;
    if (IsHeader ? !enter(*L, Target) : !BB->isEntryBlock() && !reach(*BB))
      return false;
  }
  return true;
}

bool Domain::reach(const BasicBlock &BB) {
  Reader.setScope(LI.getLoopFor(&BB));
  std::optional<Disjunction> Ways = Paths.afterDominator(BB);
  if (!Ways || Ways->empty())
    return refuse("control flow is too complex");
  if (Ways->size() > 1)
    return decide(*Ways);
  for (const Literal &A : Ways->front()) {
    std::optional<SmallVector<Polynomial, 2>> NotNegative = Reader.readLiteral(A);
    if (!NotNegative)
      return decide({Ways->front()});
    Reader.addConditions(Reader.takeRequirements());
    for (Polynomial &P : *NotNegative)
      Reader.addConstraint(-1, std::move(P));
  }
  return true;
}

bool Domain::decide(const Disjunction &Ways) {
  std::optional<Polynomial> Decision = Reader.readWays(Ways);
  if (!Decision)
    return refuse(Reader.ReadsMemory
                      ? "under a condition on data in memory"
                      : "under a condition that is not a list of comparisons of what the launch "
                        "determines");
  Reader.addConditions(Reader.takeRequirements());
  Reader.addConstraint(-1, *Decision - 1);
  return true;
}

bool Domain::enter(const Loop &L, const BasicBlock &Target) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!L.getLoopPreheader() || !Latch)
    return refuse("the loop has several entries or back edges");
  if (any_of(L.blocks(), [&](const BasicBlock *BB) { return Flow.mayLeaveIn(*BB); }))
    return refuse("the loop has an opaque call");
  if (Reader.Form.Loops.size() == GMPROF_FORM_LOOPS)
    return refuse("in too many loops");
  Inequalities Proved = Reader.Known;
  const unsigned Factor = Reader.enterLoop(&L);
  Entry E{L, Factor, int(Factor - GMPROF_FACTOR_LOOP), false, {}, {}, {}};
  SmallVector<BasicBlock *, 4> ExitingBlocks;
  L.getExitingBlocks(ExitingBlocks);
  for (const BasicBlock *Exiting : ExitingBlocks) {
    if (all_of(successors(Exiting),
               [&](const BasicBlock *To) { return L.contains(To) || Flow.endsKernel(*To); }))
      continue;
    auto *Branch = dyn_cast<BranchInst>(Exiting->getTerminator());
    if (!Branch || LI.getLoopFor(Exiting) != &L || !DT.dominates(Exiting, Latch))
      return refuse("the loop may be left within an iteration");
    const bool ComesFirst = Exiting != &Target && DT.dominates(Exiting, &Target);
    std::optional<Disjunction> Stay =
        Paths.expand(*Branch->getCondition(), L.contains(Branch->getSuccessor(0)));
    if (!Stay || Stay->size() != 1)
      return refuse("the loop's end is not one comparison");
    for (const Literal &A : Stay->front())
      if (!addExit(E, A, ComesFirst))
        return false;
  }
  if (!E.IsBounded)
    return refuse("the trip count is not known at the launch");
  Reader.loopIsBounded();
  // Constraints that were added later may imply earlier requirements.
  const auto IsProved = [&](const SymbolicCondition &R) {
    return Proved.isAtLeast(R.Value, R.Min) && Proved.isAtMost(R.Value, R.Max);
  };
  llvm::erase_if(E.Before, IsProved);
  Reader.addConditions(std::move(E.Before));
  Proved.setRange(Factor, {0, Interval::Unbounded});
  for (SymbolicConstraint &C : E.Constraints) {
    if (C.Loop < 0)
      Proved.add(C.NonNegative);
    Reader.addConstraint(C.Loop, std::move(C.NonNegative));
  }
  llvm::erase_if(E.Within, IsProved);
  for (const SymbolicCondition &R : E.Within)
    Reader.know(R);
  Reader.addConditions(std::move(E.Within));
  return true;
}

/// Adds the constraints of an exit: the loop continues after an iteration if Stay is true in it.
/// ComesFirst: the exit precedes the access in the iteration.
bool Domain::addExit(Entry &E, const Literal &Stay, bool ComesFirst) {
  std::optional<SmallVector<Polynomial, 2>> NotNegative = Reader.readLiteral(Stay);
  if (!NotNegative)
    return refuse(Reader.ReadsMemory ? "the trip count depends on data in memory"
                                     : "the trip count is not known at the launch");
  for (const Polynomial &P : *NotNegative)
    if (!addExit(E, P, ComesFirst))
      return false;
  for (SymbolicCondition &R : Reader.takeRequirements()) {
    if (!R.Value.has(E.Factor)) {
      E.Before.push_back(std::move(R));
      continue;
    }
    if (ComesFirst) {
      // The last test happens in an iteration that does not execute the access.
      SymbolicCondition First = R;
      First.Value = R.Value.replace(E.Factor, 0);
      E.Before.push_back(std::move(First));
      R.Value = R.Value.replace(E.Factor, Polynomial::unknown(E.Factor) + 1);
    }
    E.Within.push_back(std::move(R));
  }
  return true;
}

bool Domain::addExit(Entry &E, const Polynomial &Stay, bool ComesFirst) {
  if (Stay.degree(E.Factor) > 1)
    return refuse("the trip count is not known at the launch");
  const Polynomial Slope = Stay.slope(E.Factor);
  const auto KeepOnlyFirst = [&](const Polynomial &P) {
    E.Constraints.push_back({ComesFirst ? -1 : E.Number, P});
  };
  if (Slope.Terms.empty()) {
    if (!Reader.Known.isNotNegative(Stay))
      KeepOnlyFirst(Stay);
    return true;
  }
  if (Reader.Known.isNotNegative(Slope)) {
    // A condition that is true once stays true.
    const Polynomial AtFirst = Stay.replace(E.Factor, 0);
    if (!Reader.Known.isNotNegative(AtFirst))
      KeepOnlyFirst(AtFirst);
    return true;
  }
  if (Reader.Known.isAtMost(Slope, -1)) {
    E.IsBounded = true;
  } else if (isSameInLaunch(Slope)) {
    if (!Reader.require(Slope, -Largest, -1))
      return refuse("the trip count is not known at the launch");
    E.IsBounded = true;
  } else if (!Reader.Known.isAtMost(Slope, 0)) {
    return refuse("the trip count is not known at the launch");
  }
  if (ComesFirst) {
    E.Constraints.push_back({-1, Stay});
    return true;
  }
  const Polynomial Before = Stay.replace(E.Factor, Polynomial::unknown(E.Factor) - 1);
  const bool HoldsAtFirst = Reader.Known.isNotNegative(Before.replace(E.Factor, 0));
  E.Constraints.push_back({HoldsAtFirst ? -1 : E.Number, Before});
  return true;
}

//===----------------------------------------------------------------------===//
// SymbolicForm
//===----------------------------------------------------------------------===//

template <typename Form, typename Function> static void forEachPolynomial(Form &C, Function Call) {
  Call(C.Address);
  for (auto &Constraint : C.Constraints)
    Call(Constraint.NonNegative);
  for (auto &Condition : C.Conditions)
    Call(Condition.Value);
}

/// Renumbers the loops from the innermost outwards, and drops unused derived unknowns.
static void renumber(SymbolicForm &Form) {
  BitVector Used(Form.Derived.size());
  const auto Use = [&](const Polynomial &P) {
    P.anyFactor([&](unsigned Factor) {
      if (Factor >= GMPROF_FACTOR_DERIVED)
        Used.set(Factor - GMPROF_FACTOR_DERIVED);
      return false;
    });
  };
  forEachPolynomial(Form, Use);
  for (size_t I = Form.Derived.size(); I-- > 0;)
    if (Used[I]) {
      Use(Form.Derived[I].A);
      Use(Form.Derived[I].B);
    }
  const unsigned LoopCount = Form.Loops.size();
  const auto NewFactor = [&](unsigned Factor) {
    if (isLoop(Factor))
      return 2 * GMPROF_FACTOR_LOOP + LoopCount - 1 - Factor;
    if (Factor < GMPROF_FACTOR_DERIVED)
      return Factor;
    unsigned Number = 0;
    for (unsigned I = GMPROF_FACTOR_DERIVED; I < Factor; ++I)
      Number += Used[I - GMPROF_FACTOR_DERIVED];
    return GMPROF_FACTOR_DERIVED + Number;
  };
  const auto Rename = [&](Polynomial &P) { P = P.rename(NewFactor); };
  forEachPolynomial(Form, Rename);
  std::vector<DerivedUnknown> Derived;
  for (size_t I = 0; I < Form.Derived.size(); ++I)
    if (Used[I]) {
      Derived.push_back(std::move(Form.Derived[I]));
      Rename(Derived.back().A);
      Rename(Derived.back().B);
    }
  Form.Derived = std::move(Derived);
  for (SymbolicConstraint &C : Form.Constraints)
    if (C.Loop >= 0)
      C.Loop = int(LoopCount) - 1 - C.Loop;
  std::reverse(Form.Loops.begin(), Form.Loops.end());
}

static bool isTooComplex(const SymbolicForm &Form) {
  bool Result = Form.Constraints.size() > MaxConstraints || Form.Conditions.size() > MaxConditions;
  forEachPolynomial(Form, [&](const Polynomial &P) { Result |= P.TooComplex; });
  return Result;
}

std::vector<int64_t> SymbolicForm::words() const {
  std::vector<int64_t> Words;
  const auto Add = [&](const Polynomial &P) {
    Words.push_back(int64_t(P.Terms.size()));
    for (const auto &[Factors, Coefficient] : P.Terms) {
      Words.push_back(Coefficient);
      Words.push_back(int64_t(Factors.size()));
      append_range(Words, Factors);
    }
  };
  Words.push_back(int64_t(Derived.size()));
  for (const DerivedUnknown &D : Derived) {
    Words.push_back(D.Operation);
    Add(D.A);
    Add(D.B);
  }
  Add(Address);
  Words.push_back(int64_t(Loops.size()));
  Words.push_back(int64_t(Constraints.size()));
  for (const SymbolicConstraint &C : Constraints) {
    Words.push_back(C.Loop);
    Add(C.NonNegative);
  }
  Words.push_back(int64_t(Conditions.size()));
  for (const SymbolicCondition &C : Conditions) {
    append_range(Words, std::initializer_list<int64_t>{C.Constraints, C.Min, C.Max});
    Add(C.Value);
  }
  return Words;
}

//===----------------------------------------------------------------------===//
// ClosedForms
//===----------------------------------------------------------------------===//

ClosedForms::ClosedForms(Function &F, const LoopInfo &LI, const CycleInfo &CI,
                         const DominatorTree &DT, ScalarEvolution &SE)
    : F(F), LI(LI), DT(DT), SE(SE), Flow(F), Invariance(LI, CI, DT, Flow, SE), Paths(LI, DT, Flow) {
}

/// Returns true if Base is the start of the variable.
static bool isStartOf(const Value *Base, const Variable &V) {
  Base = Base->stripPointerCasts();
  auto *Load = dyn_cast<LoadInst>(Base);
  if (!Load)
    return Base == V.Base && isa<GlobalVariable, Argument>(Base);
  const Value *Pointer = Load->getPointerOperand();
  const DataLayout &DL = Load->getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  auto *Holder = dyn_cast<Argument>(
      Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true));
  return Holder && V.Parameter == int(Holder->getArgNo()) && Holder->hasByValAttr() &&
         V.ParameterOffset == Offset.getZExtValue();
}

const char *ClosedForms::whyNotDetermined(const Instruction &I) const {
  if (!isKernel(F))
    return "in a device function, whose callers may be anywhere";
  if (Flow.mayHaveLeftBefore(I))
    return "some threads may have left in a call before";
  if (Invariance.isInIrreducibleCycle(*I.getParent()))
    return "irreducible control flow";
  return nullptr;
}

std::optional<SymbolicForm> ClosedForms::executions(const Instruction &I, const char *&Why) const {
  Why = whyNotDetermined(I);
  if (Why)
    return std::nullopt;
  PolynomialReader Reader(SE, LI, Paths, F);
  Domain D(Reader, LI, DT, Flow, Paths);
  if (!D.find(*I.getParent())) {
    Why = D.Why;
    return std::nullopt;
  }
  SymbolicForm Form = std::move(Reader.Form);
  if (isTooComplex(Form)) {
    Why = "the closed form is too complex";
    return std::nullopt;
  }
  renumber(Form);
  return Form;
}

std::optional<SymbolicForm> ClosedForms::closedForm(const Access &A, ArrayRef<Variable> Variables,
                                                    const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return std::nullopt;
  };
  if (const char *Reason = whyNotPlain(A))
    return Refuse(Reason);
  if (const char *Reason = whyNotDetermined(*A.Inst))
    return Refuse(Reason);
  const BasicBlock &BB = *A.Inst->getParent();
  const SCEV *Pointer = SE.getSCEV(A.Pointer);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Pointer));
  if (!Base || A.Variable < 0 || !isStartOf(Base->getValue(), Variables[A.Variable]))
    return Refuse("the address does not start at one variable or parameter");

  PolynomialReader Reader(SE, LI, Paths, F);
  Domain D(Reader, LI, DT, Flow, Paths);
  if (!D.find(BB))
    return Refuse(D.Why);
  Reader.setScope(LI.getLoopFor(&BB));
  std::optional<Polynomial> Offset = Reader.read(SE.removePointerBase(Pointer));
  if (!Offset)
    return Refuse(Reader.Why);
  Reader.addConditions(Reader.takeRequirements());
  SymbolicForm Form = std::move(Reader.Form);
  Form.Variable = A.Variable;
  Form.Address = std::move(*Offset);
  Form.Address += A.Displacement;
  if (isTooComplex(Form))
    return Refuse("the closed form is too complex");
  renumber(Form);
  return Form;
}
