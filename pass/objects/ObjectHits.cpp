//===- ObjectHits.cpp - Clones that record accessed objects ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/objects/ObjectHits.h"

#include "pass/core/Exits.h"
#include "pass/core/Hooks.h"
#include "pass/objects/LoopCopies.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/CycleAnalysis.h"
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

/// Maximum number of flags that one test covers.
static constexpr unsigned FlagsPerWord = 8;
static constexpr unsigned MaxFlags = 4 * FlagsPerWord;
/// Number of pointers, for each kind of access, whose last range a thread remembers.
static constexpr unsigned MaxLastRanges = 2;
/// Maximum number of pointers that a thread keeps until its exit.
static constexpr unsigned MaxKept = 4;
/// Number of places that make a copy of a loop pay off: the loop was unrolled.
static constexpr unsigned LeastPlaces = 2;

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
  void search(const Touch &T, bool AtOnce);
  /// Branches from the loop to its copy where these flags are all set.
  void goToCopy(const LoopCopy &Copy, ArrayRef<unsigned> Numbers);
  /// Records at all exits what flag() and search() have deferred.
  void noteAtExits(FunctionAnalysisManager &FAM);

private:
  Clone &C;
  Hooks &H;
  IRBuilder<> B;
  std::map<unsigned, AllocaInst *> Flags;
  struct Kept {
    AllocaInst *Pointer; ///< 0: none
    unsigned Kinds;
  };
  SmallVector<Kept, MaxKept> KeptPointers;
  /// The last range found, by kinds of accesses and pointer.
  std::map<unsigned, MapVector<const Value *, AllocaInst *>> LastRanges;

  Instruction *branchTo(BasicBlock &BB, Value *&Condition);
  void goTo(Instruction *Before);
  AllocaInst *variable(Type *Ty);
  Value *anyLaneHasAll(ArrayRef<unsigned> Numbers);
  Value *addressOf(const Touch &T);
  void searchKept(Instruction *Return);
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

/// Returns a variable that is zero at the function's entry.
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

/// Returns the only branch that leads to a block, and sets Condition to when it does; null if there
/// is no such branch.
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
  // In loops the flag is a sum of conditions, in front of the branch, and the block stays
  // unchanged: ptxas executes short blocks under a predicate.
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

/// Returns whether the thread may wait for other threads in I, or end.
static bool mayWait(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (!isa<IntrinsicInst>(Call) || Call->isConvergent());
}

/// Returns the last place in the block that the search may move to, so that no access waits for it.
static Instruction *placeOfSearch(Instruction *At) {
  while (!At->isTerminator() && !mayWait(*At))
    At = At->getNextNode();
  return At;
}

Value *Emitter::addressOf(const Touch &T) {
  Value *Pointer = T.Address;
  if (Pointer->getType()->isPointerTy())
    Pointer = B.CreatePtrToInt(B.CreateAddrSpaceCast(Pointer, B.getPtrTy()), B.getInt64Ty());
  return B.CreateZExtOrTrunc(Pointer, B.getInt64Ty());
}

void Emitter::search(const Touch &T, bool AtOnce) {
  ++TouchesSearched;
  if (!AtOnce && KeptPointers.size() != MaxKept) {
    goTo(T.Before);
    Value *Address = addressOf(T);
    if (T.Condition)
      Address = B.CreateSelect(condition(T), Address, B.getInt64(0));
    KeptPointers.push_back({variable(B.getInt64Ty()), T.Kinds});
    B.CreateStore(Address, KeptPointers.back().Pointer);
    return;
  }
  goTo(placeOfSearch(T.Before));
  auto &Ranges = LastRanges[T.Kinds];
  AllocaInst *&Last = Ranges[T.Address];
  if (!Last)
    Last = Ranges.size() > MaxLastRanges
               ? Ranges.begin()[Ranges.size() % MaxLastRanges].second
               : variable(StructType::get(B.getInt64Ty(), B.getInt64Ty()));
  Value *Address = addressOf(T);
  if (T.Condition)
    goTo(SplitBlockAndInsertIfThen(condition(T), B.GetInsertPoint(), false));
  SmallVector<Value *, 4> Arguments(C.Counters.begin(), C.Counters.end());
  Arguments.append({Last, B.getInt32(T.Kinds), Address});
  H.call(B, "hit_object", Arguments);
}

/// Returns whether one of the active lanes has set all these flags: that lane sets the hits at its
/// exit, so that the others need not.
Value *Emitter::anyLaneHasAll(ArrayRef<unsigned> Numbers) {
  Value *All = B.getTrue();
  for (unsigned Number : Numbers)
    All = B.CreateAnd(All, B.CreateLoad(B.getInt1Ty(), Flags[Number]));
  return H.call(B, "any_lane", All);
}

void Emitter::goToCopy(const LoopCopy &Copy, ArrayRef<unsigned> Numbers) {
  goTo(Copy.AgainTo);
  Value *Known = anyLaneHasAll(Numbers);
  Copy.AgainTo->setCondition(Known);
  for (unsigned Number : Numbers)
    B.CreateStore(B.CreateOr(B.CreateLoad(B.getInt1Ty(), Flags[Number]), Known), Flags[Number]);
  if (Copy.EnteredTo) {
    goTo(Copy.EnteredTo);
    Copy.EnteredTo->setCondition(anyLaneHasAll(Numbers));
  }
}

void Emitter::searchKept(Instruction *Return) {
  goTo(Return);
  for (const Kept &K : KeptPointers) {
    Value *Address = B.CreateLoad(B.getInt64Ty(), K.Pointer);
    H.call(B, "hit_object_before", {C.Counters.front(), B.getInt32(K.Kinds), Address});
  }
}

void Emitter::noteAtExits(FunctionAnalysisManager &FAM) {
  if (Flags.empty() && KeptPointers.empty())
    return;
  SmallVector<Instruction *, 4> Returns;
  for (Instruction &I : instructions(*C.F))
    if (isa<ReturnInst>(I))
      Returns.push_back(&I);
  for (Instruction *Return : Returns)
    searchKept(Return);
  std::map<std::pair<Instruction *, unsigned>, WeakTrackingVH> AtReturn;
  SmallVector<AllocaInst *, 8> Variables;
  for (auto [Number, Flag] : Flags) {
    Variables.push_back(Flag);
    for (Instruction *Return : Returns) {
      goTo(Return);
      AtReturn[{Return, Number}] = B.CreateLoad(B.getInt1Ty(), Flag);
    }
  }
  for (const Kept &K : KeptPointers)
    Variables.push_back(K.Pointer);
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

namespace {
/// Loops that threads leave for a copy, and the flags that are set in each.
struct LeftLoops {
  SmallVector<Loop *, 2> Loops;
  SmallVector<SmallVector<unsigned, 2>, 2> Flags;
};
} // namespace

/// Returns the loops with several places to record, whose iterations cost more than the check
/// whether all of them have been recorded.
static LeftLoops loopsToLeave(ArrayRef<Touch> Touches, ArrayRef<TouchSite> Described,
                              const LoopInfo &LI) {
  struct Noted {
    unsigned Places = 0;
    bool Searches = false;
    SmallVector<unsigned, 2> Flags;
  };
  MapVector<Loop *, Noted> ByLoop;
  for (unsigned I = 0; I != Touches.size(); ++I) {
    const Touch &T = Touches[I];
    Loop *L = T.Before ? LI.getLoopFor(T.Before->getParent()) : nullptr;
    if (!L || (T.Rule != GMPROF_TOUCH_FLAG && T.Rule != GMPROF_TOUCH_SEARCH))
      continue;
    Noted &N = ByLoop[L];
    ++N.Places;
    N.Searches |= T.Rule == GMPROF_TOUCH_SEARCH;
    if (T.Rule == GMPROF_TOUCH_FLAG && !is_contained(N.Flags, Described[I].Flag))
      N.Flags.push_back(Described[I].Flag);
  }
  LeftLoops Left;
  for (auto &[L, N] : ByLoop)
    if (!N.Searches && N.Places >= LeastPlaces && canCopyLoop(*L)) {
      Left.Loops.push_back(L);
      Left.Flags.push_back(N.Flags);
    }
  return Left;
}

void gmprof::emitHits(Clone &C, ArrayRef<Touch> Touches, ArrayRef<TouchSite> Described, Hooks &H,
                      FunctionAnalysisManager &FAM) {
  Emitter E(C, H);
  const bool AtOnce = mayLeaveWithin(*C.F);
  if (C.IsKernel && !AtOnce) {
    separateReturns(*C.F);
    FAM.invalidate(*C.F, PreservedAnalyses::none());
  }
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(*C.F);
  const LeftLoops Left = AtOnce ? LeftLoops() : loopsToLeave(Touches, Described, LI);
  const CycleInfo &Cycles = FAM.getResult<CycleAnalysis>(*C.F);
  auto InLoop = [&](const Touch &T) { return Cycles.getCycle(T.Before->getParent()) != nullptr; };
  const SmallVector<LoopCopy, 2> Copies =
      copyLoops(Left.Loops, FAM.getResult<DominatorTreeAnalysis>(*C.F), LI);
  for (auto [T, S] : zip(Touches, Described)) // a kernel's calls have no place
    if (T.Rule == GMPROF_TOUCH_FLAG)
      E.flag(T, S.Flag, AtOnce, InLoop(T));
  for (auto [Copy, Flags] : zip(Copies, Left.Flags))
    E.goToCopy(Copy, Flags);
  for (const Touch &T : Touches)
    if (T.Rule == GMPROF_TOUCH_SEARCH)
      E.search(T, AtOnce || InLoop(T));
  E.noteAtExits(FAM);
}
