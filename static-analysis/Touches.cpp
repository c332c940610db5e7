//===- Touches.cpp - Objects that a launch accesses -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print<gm-touches> writes for each function
//
//   touches of <function>:
//     <kinds> <variable or -> <rule> …
//
// with the closed form of determined touches, and the block and line that flagged and searched
// touches precede.
//
//===----------------------------------------------------------------------===//

#include "Touches.h"

#include "AccessPrinter.h"
#include "AddressSpaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

namespace {

/// Finds where at least one of a set of instructions is certain to execute at or after a point.
class Anticipation {
public:
  /// Defined: the value that the instructions use; paths end where it is redefined. Null: a value
  /// that exists at the entry.
  Anticipation(Function &F, const ControlFlow &Flow, ArrayRef<Instruction *> Executed,
               Instruction *Defined)
      : Flow(Flow), Definition(Defined ? Defined->getParent() : nullptr) {
    for (Instruction *I : Executed) {
      Instruction *&First = Here[I->getParent()];
      if (!First || I->comesBefore(First))
        First = I;
    }
    for (BasicBlock &BB : F)
      Holds.insert(&BB);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock &BB : F)
        if (Holds.contains(&BB) && !holdsIn(BB)) {
          Holds.erase(&BB);
          Changed = true;
        }
    }
  }

  bool at(const BasicBlock &BB) const {
    return &BB == Definition ? holdsIn(BB) : Holds.contains(&BB);
  }
  /// Returns the first of the instructions in the block, or null.
  Instruction *first(const BasicBlock &BB) const { return Here.lookup(&BB); }

  /// Returns the blocks where it holds at the start, but not in all predecessors.
  SmallVector<BasicBlock *, 4> earliest(Function &F, const DominatorTree &DT) const {
    SmallVector<BasicBlock *, 4> Blocks;
    BasicBlock *Start = Definition ? Definition : &F.getEntryBlock();
    if (at(*Start))
      return {Start};
    for (BasicBlock &BB : F) {
      if (&BB == Start || !Holds.contains(&BB) || !DT.dominates(Start, &BB) ||
          (Flow.endsKernel(BB) && !Here.contains(&BB)))
        continue;
      if (any_of(predecessors(&BB),
                 [&](BasicBlock *P) { return DT.isReachableFromEntry(P) && !at(*P); }))
        Blocks.push_back(&BB);
    }
    return Blocks;
  }

private:
  const ControlFlow &Flow;
  BasicBlock *Definition;
  DenseMap<const BasicBlock *, Instruction *> Here;
  SmallPtrSet<const BasicBlock *, 16> Holds;

  bool holdsIn(const BasicBlock &BB) const {
    if (Here.contains(&BB) || Flow.endsKernel(BB))
      return true;
    return !succ_empty(&BB) && all_of(successors(&BB), [&](const BasicBlock *To) {
      return To != Definition && Holds.contains(To);
    });
  }
};

/// An instruction that may access an object: an Access or a texture fetch.
struct Candidate {
  Instruction *Inst;
  unsigned Kinds;
  Value *Condition = nullptr;
  bool Inverted = false;
  Value *Address = nullptr;
};

class Finder {
public:
  Finder(Function &F, FunctionAnalysisManager &FAM)
      : F(F), Info(FAM.getResult<AccessAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        Flow(F), Hoists(!mayLeaveWithin(F)),
        Forms(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<CycleAnalysis>(F), DT,
              FAM.getResult<ScalarEvolutionAnalysis>(F)) {}

  std::vector<Touch> run() {
    collect();
    for (auto &[Variable, Candidates] : OfVariables)
      touchVariable(Variable, Candidates);
    for (auto &[Origin, Candidates] : Searched)
      search(*Origin, Candidates);
    return std::move(Touches);
  }

private:
  Function &F;
  const AccessInfo &Info;
  const DominatorTree &DT;
  const ControlFlow Flow;
  const bool Hoists;
  const ClosedForms Forms;
  using CandidateList = SmallVector<Candidate, 4>;
  MapVector<int, CandidateList> OfVariables;
  /// Candidates by the pointer that their addresses are offsets from.
  MapVector<Value *, CandidateList> Searched;
  std::vector<Touch> Touches;

  void collect();
  void touchVariable(int Variable, ArrayRef<Candidate> Candidates);
  void search(Value &Origin, ArrayRef<Candidate> Candidates);
  SmallVector<BasicBlock *, 4> earliest(ArrayRef<Candidate> Candidates, unsigned Kind,
                                        Instruction *Defined, SmallVectorImpl<Candidate> &Others,
                                        std::optional<Anticipation> &A) const;
  void add(Touch T);
  void possible(int Variable, unsigned Kinds);
};

} // namespace

bool gmprof::mayLeaveWithin(Function &F) {
  const ControlFlow Flow(F);
  return any_of(F, [&](const BasicBlock &BB) { return Flow.mayLeaveIn(BB); });
}

/// Returns true if the host knows the variable as an object.
static bool isObject(const Variable &V) {
  if (V.Parameter >= 0)
    return true;
  auto *Global = dyn_cast_or_null<GlobalVariable>(V.Base);
  return Global && !Global->hasPrivateLinkage() && !isTableOfCompiler(V) &&
         spaceOfAddressSpace(Global->getAddressSpace()) != GMPROF_SPACE_SHARED;
}

static unsigned kindsOf(const Access &A) {
  return (A.Reads ? GMPROF_TOUCH_READS : 0) | (A.Writes ? GMPROF_TOUCH_WRITES : 0);
}

void Finder::possible(int Variable, unsigned Kinds) {
  Touch T;
  T.Variable = Variable;
  T.Kinds = Kinds;
  T.Rule = GMPROF_TOUCH_POSSIBLE;
  add(std::move(T));
}

void Finder::collect() {
  const bool InKernel = isKernel(F);
  for (const Access &A : Info.Accesses) {
    if (A.Space != GMPROF_SPACE_GENERIC && A.Space != GMPROF_SPACE_GLOBAL &&
        A.Space != GMPROF_SPACE_CONSTANT)
      continue;
    const bool Known = A.Variable >= 0;
    if (Known && !isObject(Info.Variables[A.Variable]))
      continue;
    // A length of 0 means no access, so it serves as the condition.
    Candidate C = {A.Inst, kindsOf(A), A.Predicate ? A.Predicate : A.Length,
                   A.Predicate && A.PredicateInverted, A.Pointer};
    if (Known && InKernel)
      OfVariables[A.Variable].push_back(C);
    else if (A.Space == GMPROF_SPACE_CONSTANT)
      possible(A.Variable, C.Kinds);
    else
      Searched[A.Pointer->getType()->isPointerTy() ? getUnderlyingObject(A.Pointer, /*MaxLookup=*/0)
                                                   : A.Pointer]
          .push_back(C);
  }
  for (const TextureAccess &T : Info.Textures) {
    const unsigned Kinds =
        GMPROF_TOUCH_TEXTURE | (T.Writes ? GMPROF_TOUCH_WRITES : GMPROF_TOUCH_READS);
    if (T.Variable >= 0 && InKernel && Info.Variables[T.Variable].Parameter >= 0)
      OfVariables[T.Variable].push_back({T.Inst, Kinds});
    else
      possible(-1, Kinds);
  }
}

/// Adds a touch. Merges it with one in the same place, or with the same closed form, whose place
/// does not matter.
void Finder::add(Touch T) {
  for (Touch &Known : Touches) {
    if (Known.Variable != T.Variable || Known.Rule != T.Rule || Known.Condition || T.Condition ||
        ((Known.Kinds ^ T.Kinds) & GMPROF_TOUCH_TEXTURE))
      continue;
    const bool SamePlace = Known.Before == T.Before && Known.Address == T.Address;
    const bool SameForm =
        T.Executions && Known.Executions && T.Executions->words() == Known.Executions->words();
    if (SameForm || (SamePlace && !T.Executions && !Known.Executions)) {
      Known.Kinds |= T.Kinds;
      return;
    }
  }
  Touches.push_back(std::move(T));
}

/// Returns the first blocks where unconditional accesses of this kind are certain. Others receives
/// the conditional accesses that these blocks do not dominate.
SmallVector<BasicBlock *, 4> Finder::earliest(ArrayRef<Candidate> Candidates, unsigned Kind,
                                              Instruction *Defined,
                                              SmallVectorImpl<Candidate> &Others,
                                              std::optional<Anticipation> &A) const {
  SmallVector<Instruction *, 8> Plain;
  for (const Candidate &C : Candidates)
    if (C.Kinds & Kind) {
      if (C.Condition)
        Others.push_back(C);
      else
        Plain.push_back(C.Inst);
    }
  A.emplace(F, Flow, Plain, Defined);
  SmallVector<BasicBlock *, 4> Blocks;
  if (Plain.empty())
    return Blocks;
  if (Hoists) {
    Blocks = A->earliest(F, DT);
  } else {
    for (Instruction *I : Plain)
      if (!is_contained(Blocks, I->getParent()))
        Blocks.push_back(I->getParent());
  }
  erase_if(Others, [&](const Candidate &C) {
    return any_of(Blocks, [&](BasicBlock *BB) { return DT.dominates(BB, C.Inst->getParent()); });
  });
  return Blocks;
}

void Finder::touchVariable(int Variable, ArrayRef<Candidate> Candidates) {
  for (unsigned Kind : {GMPROF_TOUCH_READS, GMPROF_TOUCH_WRITES}) {
    SmallVector<Candidate, 4> Others;
    std::optional<Anticipation> A;
    Touch T;
    T.Variable = Variable;
    T.Kinds = Kind | (Candidates.front().Kinds & GMPROF_TOUCH_TEXTURE);
    SmallVector<BasicBlock *, 4> Blocks = earliest(Candidates, Kind, nullptr, Others, A);
    if (Hoists && is_contained(Blocks, &F.getEntryBlock())) {
      add(T);
      continue;
    }
    for (BasicBlock *BB : Blocks) {
      if (any_of(Blocks, [&](BasicBlock *Before) { return DT.properlyDominates(Before, BB); }))
        continue;
      Touch At = T;
      Instruction *Here = A->first(*BB);
      At.Before = Here ? Here : &*BB->getFirstInsertionPt();
      const char *Why = "";
      At.Executions = Forms.executions(*At.Before, Why);
      At.Rule = At.Executions ? GMPROF_TOUCH_FORM : GMPROF_TOUCH_FLAG;
      add(std::move(At));
    }
    for (const Candidate &C : Others) {
      Touch At = T;
      At.Rule = GMPROF_TOUCH_FLAG;
      At.Before = C.Inst;
      At.Condition = C.Condition;
      At.Inverted = C.Inverted;
      add(std::move(At));
    }
  }
}

void Finder::search(Value &Origin, ArrayRef<Candidate> Candidates) {
  auto *Defined = dyn_cast<Instruction>(&Origin);
  for (unsigned Kind : {GMPROF_TOUCH_READS, GMPROF_TOUCH_WRITES}) {
    SmallVector<Candidate, 4> Others;
    std::optional<Anticipation> A;
    Touch T;
    T.Kinds = Kind;
    T.Rule = GMPROF_TOUCH_SEARCH;
    for (BasicBlock *BB : earliest(Candidates, Kind, Defined, Others, A)) {
      Touch At = T;
      if (A->first(*BB)) {
        // The first of any kind, so that one search serves all kinds.
        const Candidate *First = nullptr;
        for (const Candidate &C : Candidates)
          if (C.Inst->getParent() == BB && !C.Condition &&
              (!First || C.Inst->comesBefore(First->Inst)))
            First = &C;
        At.Before = First->Inst;
        At.Address = First->Address;
      } else {
        At.Before = Defined && Defined->getParent() == BB && !isa<PHINode>(Defined)
                        ? Defined->getNextNode()
                        : &*BB->getFirstInsertionPt();
        At.Address = &Origin;
      }
      add(std::move(At));
    }
    for (const Candidate &C : Others) {
      Touch At = T;
      At.Before = C.Inst;
      At.Condition = C.Condition;
      At.Inverted = C.Inverted;
      At.Address = C.Address;
      add(std::move(At));
    }
  }
}

std::vector<Touch> gmprof::findTouches(Function &F, FunctionAnalysisManager &FAM) {
  return Finder(F, FAM).run();
}

PreservedAnalyses TouchPrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  static constexpr const char *Rules[] = {"always", "determined", "flagged", "searched",
                                          "possible"};
  OS << "touches of " << F.getName() << ":\n";
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  for (const Touch &T : findTouches(F, FAM)) {
    const bool Reads = T.Kinds & GMPROF_TOUCH_READS, Writes = T.Kinds & GMPROF_TOUCH_WRITES;
    OS << "  " << (Reads ? "reads" : "") << (Reads && Writes ? "," : "") << (Writes ? "writes" : "")
       << ' ' << (T.Variable < 0 ? "-" : Info.Variables[T.Variable].Name)
       << (T.Kinds & GMPROF_TOUCH_TEXTURE ? " (texture) " : " ") << Rules[T.Rule];
    if (T.Executions)
      T.Executions->print(OS << ' ');
    if (T.Before && !T.Executions) {
      OS << " in ";
      T.Before->getParent()->printAsOperand(OS, /*PrintType=*/false);
    }
    if (T.Address)
      T.Address->printAsOperand(OS << " address=", /*PrintType=*/false);
    if (T.Condition)
      T.Condition->printAsOperand(OS << (T.Inverted ? " unless " : " if "), /*PrintType=*/false);
    OS << '\n';
  }
  return PreservedAnalyses::all();
}
