//===- ObjectHits.cpp - Clones that note which objects they access --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectHits.h"

#include "Exits.h"
#include "Hooks.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <map>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(TouchesFlagged, "Places where a clone notes that it accesses an object");
STATISTIC(TouchesSearched, "Places where a clone searches the object that it accesses");
STATISTIC(TouchesWithoutFlag, "Places where too many objects may be accessed to note it");

/// So many are tested at once.
static constexpr unsigned FlagsPerWord = 8;
static constexpr unsigned MaxFlags = 4 * FlagsPerWord;
/// A thread remembers the last range that it found for so many pointers, for each kind of
/// accesses.
static constexpr unsigned MaxLastRanges = 2;

std::vector<TouchSite> gmprof::describeTouches(std::vector<Touch> &Touches) {
  std::map<std::pair<int, unsigned>, unsigned> Flags;
  std::vector<TouchSite> Described;
  for (Touch &T : Touches) {
    TouchSite &S = Described.emplace_back();
    if (T.Rule == GMPROF_TOUCH_FLAG) {
      auto [Flag, New] = Flags.try_emplace(
          {T.Variable, T.Kinds}, GMPROF_HIT_FIRST_FLAG + static_cast<unsigned>(Flags.size()));
      if (Flag->second < MaxFlags) {
        S.Flag = Flag->second;
      } else {
        ++TouchesWithoutFlag;
        T.Rule = GMPROF_TOUCH_POSSIBLE;
      }
    }
    S.Variable = T.Variable;
    S.Kinds = T.Kinds;
    S.Rule = T.Rule;
    if (T.Executions)
      S.Form = T.Executions->words();
  }
  return Described;
}

namespace {

class Emitter {
public:
  Emitter(Clone &C, Hooks &H) : C(C), H(H), B(C.F->getContext()) {}

  void flag(const Touch &T, unsigned Number, bool AtOnce, bool InLoop);
  void search(const Touch &T);
  /// At all exits, what flag() has put off.
  void setFlags(FunctionAnalysisManager &FAM);

private:
  Clone &C;
  Hooks &H;
  IRBuilder<> B;
  std::map<unsigned, AllocaInst *> Flags;
  /// By kinds of accesses, then by pointer.
  std::map<unsigned, MapVector<const Value *, AllocaInst *>> LastRanges;

  Instruction *branchTo(BasicBlock &BB, Value *&Condition);
  void goTo(Instruction *Before);
  AllocaInst *variable(Type *Ty);
  Value *condition(const Touch &T) {
    return T.Inverted ? B.CreateIsNull(T.Condition) : B.CreateIsNotNull(T.Condition);
  }
  void setHits(unsigned FirstFlag, Value *Hits) {
    H.call(B, "hit_flags", {H.call(B, "hits_of_block", C.Launch), B.getInt32(FirstFlag), Hits});
  }
};

} // namespace

/// Calls of hooks need a location wherever the function has debug info.
void Emitter::goTo(Instruction *Before) {
  B.SetInsertPoint(Before);
  if (DISubprogram *Subprogram = C.F->getSubprogram(); Subprogram && !Before->getDebugLoc())
    B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
}

/// Zero at the function's entry.
AllocaInst *Emitter::variable(Type *Ty) {
  IRBuilder<>::InsertPointGuard Guard(B);
  goTo(&*C.F->getEntryBlock().getFirstInsertionPt());
  AllocaInst *Variable = B.CreateAlloca(Ty);
  B.CreateStore(Constant::getNullValue(Ty), Variable);
  return Variable;
}

static Value *hitOf(IRBuilder<> &B, Value *Flag, unsigned Number) {
  const uint64_t Hit = uint64_t(1) << (8 * (Number % FlagsPerWord));
  return B.CreateSelect(Flag, B.getInt64(Hit), B.getInt64(0));
}

/// The branch that alone leads to a block, and under which condition. Null if there is no
/// such branch.
Instruction *Emitter::branchTo(BasicBlock &BB, Value *&Condition) {
  BasicBlock *From = BB.getSinglePredecessor();
  auto *Branch = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
  if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return nullptr;
  goTo(Branch);
  Condition =
      Branch->getSuccessor(0) == &BB ? Branch->getCondition() : B.CreateNot(Branch->getCondition());
  return Branch;
}

void Emitter::flag(const Touch &T, unsigned Number, bool AtOnce, bool InLoop) {
  ++TouchesFlagged;
  goTo(T.Before);
  // In loops the flag is a sum of conditions, in front of the branch, and the block stays what
  // it was: short ones are executed under a predicate.
  Value *Here = nullptr;
  if (T.Condition)
    Here = condition(T);
  else if (AtOnce || !InLoop || !branchTo(*T.Before->getParent(), Here))
    Here = B.getTrue();
  if (AtOnce) {
    setHits(Number / FlagsPerWord * FlagsPerWord, hitOf(B, Here, Number));
    return;
  }
  AllocaInst *&Flag = Flags[Number];
  if (!Flag)
    Flag = variable(B.getInt1Ty());
  B.CreateStore(B.CreateOr(B.CreateLoad(B.getInt1Ty(), Flag), Here), Flag);
}

/// Whether other threads may be waited for in I, or the thread may end.
static bool mayWait(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (!isa<IntrinsicInst>(Call) || Call->isConvergent());
}

/// Behind what comes in the block, so that no access waits for it.
static Instruction *placeOfSearch(Instruction *At) {
  while (!At->isTerminator() && !mayWait(*At))
    At = At->getNextNode();
  return At;
}

void Emitter::search(const Touch &T) {
  ++TouchesSearched;
  goTo(placeOfSearch(T.Before));
  auto &Ranges = LastRanges[T.Kinds];
  AllocaInst *&Last = Ranges[T.Address];
  if (!Last)
    Last = Ranges.size() > MaxLastRanges
               ? Ranges.begin()[Ranges.size() % MaxLastRanges].second
               : variable(StructType::get(B.getInt64Ty(), B.getInt64Ty()));
  Value *Pointer = T.Address;
  if (Pointer->getType()->isPointerTy())
    Pointer = B.CreatePtrToInt(B.CreateAddrSpaceCast(Pointer, B.getPtrTy()), B.getInt64Ty());
  Value *Address = B.CreateZExtOrTrunc(Pointer, B.getInt64Ty());
  if (T.Condition)
    goTo(SplitBlockAndInsertIfThen(condition(T), B.GetInsertPoint(), false));
  SmallVector<Value *, 7> Arguments(C.Counters.begin(), C.Counters.end());
  Arguments.append({Last, B.getInt32(T.Kinds), Address});
  H.call(B, "hit_object", Arguments);
}

void Emitter::setFlags(FunctionAnalysisManager &FAM) {
  if (Flags.empty())
    return;
  separateReturns(*C.F);
  SmallVector<Instruction *, 4> Returns;
  for (Instruction &I : instructions(*C.F))
    if (isa<ReturnInst>(I))
      Returns.push_back(&I);
  std::map<std::pair<Instruction *, unsigned>, WeakTrackingVH> AtReturn;
  SmallVector<AllocaInst *, 8> Variables;
  for (auto [Number, Flag] : Flags) {
    Variables.push_back(Flag);
    for (Instruction *Return : Returns) {
      goTo(Return);
      AtReturn[{Return, Number}] = B.CreateLoad(B.getInt1Ty(), Flag);
    }
  }
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  PromoteMemToReg(Variables, FAM.getResult<DominatorTreeAnalysis>(*C.F));
  for (Instruction *Return : Returns)
    for (unsigned First = 0; First != MaxFlags; First += FlagsPerWord) {
      goTo(Return);
      Value *Hits = B.getInt64(0);
      for (unsigned Number = First; Number != First + FlagsPerWord; ++Number)
        if (auto Flag = AtReturn.find({Return, Number}); Flag != AtReturn.end())
          Hits = B.CreateOr(Hits, hitOf(B, Flag->second, Number));
      if (!isa<Constant>(Hits) || !cast<Constant>(Hits)->isNullValue())
        setHits(First, Hits);
    }
}

void gmprof::emitHits(Clone &C, ArrayRef<Touch> Touches, ArrayRef<TouchSite> Described, Hooks &H,
                      FunctionAnalysisManager &FAM) {
  Emitter E(C, H);
  const bool AtOnce = mayLeaveWithin(*C.F);
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(*C.F);
  for (auto [T, S] : zip(Touches, Described)) // a kernel's calls have no place
    if (T.Rule == GMPROF_TOUCH_FLAG)
      E.flag(T, S.Flag, AtOnce, LI.getLoopFor(T.Before->getParent()) != nullptr);
  for (const Touch &T : Touches)
    if (T.Rule == GMPROF_TOUCH_SEARCH)
      E.search(T);
  E.setFlags(FAM);
}
