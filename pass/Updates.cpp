//===- Updates.cpp - Additions to counters, planned and emitted -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Updates.h"

#include "Hooks.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gmprof;

/// What the access guarantees. Where the instruction does not say, operands of
/// atomics and of the asynchronous and matrix copies are aligned to their size by
/// definition; byte copies are not aligned.
static Align alignmentOf(const Access &A) {
  Instruction *I = A.Inst;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->getAlign();
  if (auto *Store = dyn_cast<StoreInst>(I))
    return Store->getAlign();
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return Align(PowerOf2Ceil(A.Bytes));
  if (auto *Memory = dyn_cast<AnyMemIntrinsic>(I)) {
    if (auto *Transfer = dyn_cast<AnyMemTransferInst>(Memory);
        Transfer && A.Pointer == Transfer->getRawSource())
      return Transfer->getSourceAlign().valueOrOne();
    return Memory->getDestAlign().valueOrOne();
  }
  if (A.Bytes && isPowerOf2_32(A.Bytes) && !A.Tile)
    return Align(std::min(A.Bytes, 16u));
  return Align(1);
}

Update Updates::of(const Access &A) {
  Update U;
  U.Location = A.Inst->getDebugLoc();
  U.Pointer = A.Pointer;
  U.Displacement = A.Displacement;
  U.Space = A.Space;
  U.Bytes = A.Bytes;
  U.Length = A.Length;
  U.Alignment = alignmentOf(A);
  U.Predicate = A.Predicate;
  U.PredicateInverted = A.PredicateInverted;
  U.Lanes = A.Lanes;
  U.Tile = A.Tile;
  return U;
}

/// Whether an update must not be moved across I: threads may be waited for, or
/// end, in it.
static bool endsStretch(const Instruction &I) {
  if (I.isTerminator())
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (Call->isConvergent() || Call->isInlineAsm())
    return true;
  return !isa<IntrinsicInst>(Call) || !Call->willReturn();
}

void Updates::addAfter(const Access &A, Update U) {
  Instruction *I = A.Inst->getNextNode();
  while (!endsStretch(*I))
    I = I->getNextNode();
  U.Before = I;
  add(U);
}

void Updates::add(const Update &U) {
  if (U.Tile) {
    Tiles.push_back(U);
    return;
  }
  auto [Place, New] =
      Planned.insert({Key{U.Before, U.Pointer, U.Displacement, U.Bytes, U.Length, U.Predicate,
                          U.Times, U.By | (U.PredicateInverted ? 256 : 0)},
                      U});
  if (!New) {
    Place->second.Count += U.Count;
    Place->second.Alignment = std::max(Place->second.Alignment, U.Alignment);
  }
}

namespace {

/// Emits one update.
class Emitter {
public:
  Emitter(const Clone &C, Hooks &H, const Update &U)
      : C(C), H(H), U(U), B(U.Before), Counters(C.M->counters()) {
    // Calls of hooks need a location wherever the function has debug info.
    if (DISubprogram *Subprogram = C.F->getSubprogram())
      B.SetCurrentDebugLocation(U.Location ? U.Location.get()
                                           : DILocation::get(C.F->getContext(), 0, 0, Subprogram));
  }

  void emit() {
    Value *Address = sharedAddress();
    if (Value *If = condition())
      B.SetInsertPoint(SplitBlockAndInsertIfThen(If, B.GetInsertPoint(), false));
    if (U.Tile)
      tile(Address);
    else if (!U.Bytes || (U.Alignment < 4 && U.Bytes > U.Alignment.value()))
      hook("range", {Address, U.Bytes ? B.getInt64(U.Bytes) : U.Length, times()});
    else
      words(Address);
  }

private:
  const Clone &C;
  Hooks &H;
  const Update &U;
  IRBuilder<> B;
  std::string Counters;
  Value *IsShared = nullptr; ///< of a generic address

  void hook(StringRef Name, ArrayRef<Value *> Arguments) {
    SmallVector<Value *, 8> All(C.Counters.begin(), C.Counters.end());
    All.append(Arguments.begin(), Arguments.end());
    H.call(B, "count_" + Twine(Name) + "_" + Counters, All);
  }

  /// The 32-bit shared address, meaningless where IsShared is false.
  Value *sharedAddress() {
    Type *Int = B.getInt32Ty();
    Value *Pointer = U.Pointer;
    if (U.Space == GMPROF_SPACE_GENERIC) {
      if (Pointer->getType()->isIntegerTy())
        Pointer = B.CreateIntToPtr(Pointer, B.getPtrTy());
      IsShared = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, {Pointer});
    }
    if (auto *Type = dyn_cast<PointerType>(Pointer->getType()); Type && !Type->getAddressSpace())
      Pointer = B.CreateAddrSpaceCast(Pointer, PointerType::get(B.getContext(), 3));
    Value *Address = Pointer->getType()->isPointerTy() ? B.CreatePtrToInt(Pointer, Int)
                                                       : B.CreateZExtOrTrunc(Pointer, Int);
    return U.Displacement ? B.CreateAdd(Address, B.getInt32(static_cast<uint32_t>(U.Displacement)))
                          : Address;
  }

  Value *condition() {
    Value *All = IsShared;
    auto And = [&](Value *One) { All = All ? B.CreateAnd(All, One) : One; };
    if (U.Predicate)
      And(U.PredicateInverted ? B.CreateIsNull(U.Predicate) : B.CreateIsNotNull(U.Predicate));
    if (U.Lanes < 32)
      And(H.call(B, "lane_is_below", B.getInt32(U.Lanes)));
    if (U.By == Update::FirstThread)
      And(C.IsFirstThread);
    return All;
  }

  Value *times() {
    Value *Times = B.getInt64(U.Count);
    if (U.Times)
      Times = B.CreateMul(Times, B.CreateZExtOrTrunc(U.Times, B.getInt64Ty()));
    if (C.Blocks)
      Times = B.CreateMul(Times, C.Blocks);
    if (U.By == Update::FirstThread)
      Times = B.CreateMul(Times, B.CreateZExt(C.Threads, B.getInt64Ty()));
    return Times;
  }

  /// Counts each of the words that an access with a known size touches.
  void words(Value *Address) {
    unsigned Words = divideCeil(U.Bytes, 4u);
    bool Single = U.By == Update::EachThread && !U.Times && U.Count == 1 && !C.Blocks;
    for (unsigned Word = 0; Word != Words;) {
      Value *At = Word ? B.CreateAdd(Address, B.getInt32(4 * Word)) : Address;
      unsigned Left = Words - Word, Taken = 1;
      if (Single && Left >= 4 && U.Alignment >= 16)
        hook("quad", At), Taken = 4;
      else if (Single && Left >= 2 && U.Alignment >= 8)
        hook("pair", At), Taken = 2;
      else if (Single)
        hook("one", At);
      else if (U.By == Update::EachThread && !U.Times && !C.Blocks)
        hook("few", {At, B.getInt32(U.Count)});
      else
        hook(U.By == Update::EachThread    ? "times"
             : U.By == Update::ActiveLanes ? "active"
                                           : "for_others",
             {At, times()});
      Word += Taken;
    }
  }

  void tile(Value *Address) {
    const WarpTile &Tile = *U.Tile;
    Value *Stride = B.getInt32(Tile.RowBytes);
    if (Tile.Stride)
      Stride = B.CreateMul(B.CreateZExtOrTrunc(Tile.Stride, B.getInt32Ty()),
                           B.getInt32(Tile.StrideUnit));
    hook("tile", {Address, B.getInt32(Tile.Rows), B.getInt32(Tile.RowBytes), Stride, times()});
  }
};

} // namespace

void Updates::emit(const Clone &C, Hooks &H) {
  for (auto &[_, U] : Planned)
    Emitter(C, H, U).emit();
  for (const Update &U : Tiles)
    Emitter(C, H, U).emit();
}
