//===- Reconvergence.cpp - Where lanes that have parted come together ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reconvergence.h"

#include "Accesses.h"
#include "ThreadInvariance.h"
#include "UniformExecution.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gmprof;

using Region = SmallPtrSet<const BasicBlock *, 16>;

/// The blocks on ways from the end of From to At, without these.
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

/// Whether a lane that executes I may wait for what another one does, by itself or in a loop that
/// goes on Until something is read.
static bool mayWait(const Instruction &I, bool Until) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return Call->isConvergent() ||
           (Until && !isa<MemIntrinsic>(Call) && Call->mayReadOrWriteMemory());
  return Until && (I.isAtomic() || I.isVolatile());
}

/// Whether a value in the loop is computed from values of before it and of earlier turns alone,
/// without reads and in each turn alike.
static bool followsFromNothingRead(const Value &Of, const Loop &L) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 8> Worklist = {&Of};
  while (!Worklist.empty()) {
    const auto *I = dyn_cast<Instruction>(Worklist.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    // Which way led to another phi may depend on anything.
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
        LI.getLoopFor(From) != LI.getLoopFor(At) || !isSafe(regionBetween(*From, *At)))
      return std::nullopt;
    return Reconvergence{From, At};
  }

private:
  /// Where lanes that leave a loop one after the other were together: in front of it.
  BasicBlock *lastTogether(BasicBlock &Branch, const BasicBlock &At) const {
    BasicBlock *From = &Branch;
    for (const Loop *L = LI.getLoopFor(&Branch); L && !L->contains(&At); L = L->getParentLoop())
      if (From = L->getLoopPreheader(); !From)
        return nullptr;
    return From;
  }

  /// Whether nothing that is read while it turns decides how often.
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
  // Of several branches that meet at one place, the first one has all lanes.
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
