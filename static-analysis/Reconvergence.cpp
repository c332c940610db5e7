//===- Reconvergence.cpp - Reconvergence after divergence -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reconvergence.h"

#include "Accesses.h"
#include "InlineAssembly.h"
#include "ThreadInvariance.h"
#include "UniformExecution.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gmprof;

using Region = SmallPtrSet<const BasicBlock *, 16>;

/// Returns the blocks on paths from the end of From to At, excluding both.
static Region regionBetween(const BasicBlock &From, const BasicBlock &At) {
  Region Found;
  SmallVector<const BasicBlock *, 8> Worklist(successors(&From));
  while (!Worklist.empty()) {
    const BasicBlock *BB = Worklist.pop_back_val();
    if (BB != &At && BB != &From && Found.insert(BB).second)
      append_range(Worklist, successors(BB));
  }
  return Found;
}

/// Returns true if a lane that executes I may wait for another lane, directly or, with Until, in a
/// loop that repeats until it reads some value.
static bool mayWait(const Instruction &I, bool Until) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return (Call->isConvergent() && !(Call->isInlineAsm() && waitsForNoLane(*Call))) ||
           (Until && !isa<MemIntrinsic>(Call) && Call->mayReadOrWriteMemory());
  return Until && (I.isAtomic() || I.isVolatile());
}

/// Returns true if a loop's value only depends on values from before the loop and from earlier
/// iterations: it involves no reads and no phis outside the header.
static bool followsFromNothingRead(const Value &Of, const Loop &L) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 8> Worklist = {&Of};
  while (!Worklist.empty()) {
    const auto *I = dyn_cast<Instruction>(Worklist.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    // The path to another phi may depend on anything.
    if (I->mayReadOrWriteMemory() || isa<CallBase>(I) ||
        (isa<PHINode>(I) && I->getParent() != L.getHeader()))
      return false;
    append_range(Worklist, I->operand_values());
  }
  return true;
}

namespace {

class Finder {
  const ControlFlow Flow;
  const DominatorTree &DT;
  const LoopInfo &LI;
  const CycleInfo &CI;
  ScalarEvolution &SE;
  const ThreadInvariance Invariance;
  function_ref<bool(const BasicBlock &)> Matters;

public:
  Finder(Function &F, const AccessInfo &Info, FunctionAnalysisManager &FAM,
         function_ref<bool(const BasicBlock &)> Matters)
      : Flow(F), DT(FAM.getResult<DominatorTreeAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        CI(FAM.getResult<CycleAnalysis>(F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Invariance(F, DT, FAM.getResult<CycleAnalysis>(F), FAM.getResult<AAManager>(F), Info, Flow),
        Matters(Matters) {}

  std::optional<Reconvergence> ofBranch(BasicBlock &Branch) const {
    if (!Invariance.hasDivergentBranch(Branch))
      return std::nullopt;
    auto *At = const_cast<BasicBlock *>(Flow.immediatePostDominator(Branch));
    if (!At || isa<ReturnInst>(At->front()))
      return std::nullopt;
    BasicBlock *From = lastTogether(Branch, *At);
    if (!From || !DT.dominates(From, At) || !Flow.postDominates(*At, *From) ||
        LI.getLoopFor(From) != LI.getLoopFor(At))
      return std::nullopt;
    const Region Between = regionBetween(*From, *At);
    if (mayTurnBefore(*At, *From, Between) || !isSafe(Between))
      return std::nullopt;
    return Reconvergence{From, At};
  }

private:
  /// Returns where the lanes last were together: for lanes that leave a loop one by one, its
  /// preheader.
  BasicBlock *lastTogether(BasicBlock &Branch, const BasicBlock &At) const {
    BasicBlock *From = &Branch;
    for (const Loop *L = LI.getLoopFor(&Branch); L && !L->contains(&At); L = L->getParentLoop())
      if (From = L->getLoopPreheader(); !From)
        return nullptr;
    return From;
  }

  /// Returns true if a lane may begin another iteration of the loop that both blocks are in before
  /// it comes to At, as after a continue: the lanes that come to At now would wait for it.
  bool mayTurnBefore(const BasicBlock &At, const BasicBlock &From, const Region &Between) const {
    const Loop *L = LI.getLoopFor(&From);
    return L && L->getHeader() != &At && any_of(predecessors(L->getHeader()), [&](auto *BB) {
             return BB == &From || Between.contains(BB);
           });
  }

  /// Returns true if nothing read during the loop determines its number of iterations.
  bool turnsByItself(const Loop &L) const {
    if (SE.hasLoopInvariantBackedgeTakenCount(&L))
      return true;
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    return all_of(Exiting, [&](const BasicBlock *BB) {
      const auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      return Branch && Branch->isConditional() &&
             followsFromNothingRead(*Branch->getCondition(), L);
    });
  }

  bool isSafe(const Region &Between) const {
    const bool Until = any_of(Between, [&](const BasicBlock *BB) {
      const Loop *L = LI.getLoopFor(BB);
      const Cycle *C = CI.getCycle(BB);
      return (C && !C->isReducible()) ||
             (L && Between.contains(L->getHeader()) && !turnsByItself(*L));
    });
    return any_of(Between, [&](const BasicBlock *BB) { return Matters(*BB); }) &&
           none_of(Between, [&](const BasicBlock *BB) {
             return Flow.mayLeaveIn(*BB) || Flow.endsKernel(*BB) ||
                    any_of(*BB, [&](const Instruction &I) { return mayWait(I, Until); });
           });
  }
};

} // namespace

SmallVector<Reconvergence, 4>
gmprof::findReconvergences(Function &F, const AccessInfo &Info, FunctionAnalysisManager &FAM,
                           function_ref<bool(const BasicBlock &)> Matters) {
  const Finder Find(F, Info, FAM, Matters);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  // If several branches reconverge at one block, the dominating one has all lanes.
  MapVector<BasicBlock *, BasicBlock *> Found;
  for (BasicBlock &BB : F)
    if (const auto R = Find.ofBranch(BB)) {
      BasicBlock *&From = Found[R->At];
      if (!From || DT.dominates(R->From, From))
        From = R->From;
    }
  SmallVector<Reconvergence, 4> Result;
  for (auto [At, From] : Found)
    Result.push_back({From, At});
  return Result;
}
