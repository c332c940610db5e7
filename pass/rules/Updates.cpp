//===- Updates.cpp - Additions to counters, planned and emitted -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Updates.h"

#include "pass/core/Hooks.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gmprof;

/// Returns the alignment that the access guarantees. If the instruction does not tell, atomics and
/// the asynchronous, bulk and matrix copies are aligned by definition; byte copies are not aligned.
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
  if (A.IsBulk)
    return Align(16);
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
  U.IsBulk = A.IsBulk;
  U.Alignment = alignmentOf(A);
  U.Predicate = A.Predicate;
  U.PredicateInverted = A.PredicateInverted;
  U.Lanes = A.Lanes;
  U.Tile = A.Tile;
  return U;
}

bool gmprof::endsStretch(const Instruction &I) {
  if (I.isTerminator())
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (Call->isConvergent() || Call->isInlineAsm())
    return true;
  return !isa<IntrinsicInst>(Call) || !Call->willReturn();
}

Instruction *Updates::placeAfter(const Access &A) const {
  Instruction *I = A.Inst->getNextNode();
  while (!InPlace && !endsStretch(*I))
    I = I->getNextNode();
  return I;
}

void Updates::addAfter(const Access &A, Update U) {
  U.Before = placeAfter(A);
  add(U);
}

void Updates::add(const Update &U) {
  if (U.Tile) {
    Tiles.push_back(U);
    return;
  }
  auto [Place, New] = Planned.insert(
      {Key{U.Before, U.Pointer, U.Displacement, U.Bytes, U.Length, U.Predicate, U.Times, U.Stride,
           U.By | (U.PredicateInverted ? 256 : 0) | static_cast<int>(U.Counter) << 9 |
               U.AtRange << 12},
       U});
  if (!New) {
    Place->second.Count += U.Count;
    Place->second.Alignment = std::max(Place->second.Alignment, U.Alignment);
  }
}

AccessEmitter::AccessEmitter(const Clone &C, Hooks &H, const Update &U)
    : C(C), H(H), U(U), B(U.Before) {
  // Calls of hooks need a location wherever the function has debug info.
  if (DISubprogram *Subprogram = C.F->getSubprogram())
    B.SetCurrentDebugLocation(U.Location ? U.Location.get()
                                         : DILocation::get(C.F->getContext(), 0, 0, Subprogram));
}

void UpdateEmitter::hook(const Twine &Name, ArrayRef<Value *> Arguments) {
  SmallVector<Value *, 10> All(C.Counters.begin(), C.Counters.end());
  append_range(All, Arguments);
  H.call(B, Name + "_" + C.CounterName, All);
}

Value *AccessEmitter::genericPointer() {
  const bool OfCluster = U.Space == GMPROF_SPACE_SHARED_CLUSTER;
  Value *Pointer = U.Pointer;
  if (Pointer->getType()->isIntegerTy())
    Pointer = B.CreateIntToPtr(Pointer,
                               B.getPtrTy(OfCluster ? NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER : 0));
  return OfCluster ? B.CreatePointerBitCastOrAddrSpaceCast(Pointer, B.getPtrTy()) : Pointer;
}

bool AccessEmitter::mayBeOfOtherBlock() const {
  return U.Space == GMPROF_SPACE_SHARED_CLUSTER ||
         (U.Space == GMPROF_SPACE_GENERIC && C.MeetsOtherBlocks);
}

Value *AccessEmitter::addressOf(Value *Pointer, Type *Int) {
  Value *Address = Pointer->getType()->isPointerTy() ? B.CreatePtrToInt(Pointer, Int)
                                                     : B.CreateZExtOrTrunc(Pointer, Int);
  return U.Displacement ? B.CreateAdd(Address, ConstantInt::getSigned(Int, U.Displacement))
                        : Address;
}

Value *AccessEmitter::branchOnGlobal() {
  Value *Pointer = U.Pointer, *IsGlobal = nullptr;
  if (U.Space == GMPROF_SPACE_GENERIC) {
    Pointer = genericPointer();
    IsGlobal = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_global, {Pointer});
  }
  Value *Address = addressOf(Pointer, B.getInt64Ty());
  branchOn(IsGlobal);
  return Address;
}

Value *AccessEmitter::conditions(Value *IsInSpace) {
  Value *All = IsInSpace;
  auto And = [&](Value *One) { All = All ? B.CreateAnd(All, One) : One; };
  if (U.Predicate)
    And(U.PredicateInverted ? B.CreateIsNull(U.Predicate) : B.CreateIsNotNull(U.Predicate));
  if (U.Lanes < 32)
    And(H.call(B, "lane_is_below", B.getInt32(U.Lanes)));
  if (U.Iterations > 1)
    And(B.CreateIsNull(B.CreateAnd(addressOf(U.Pointer, B.getInt32Ty()), B.getInt32(U.Bytes - 1))));
  return All;
}

void AccessEmitter::branchOn(Value *IsInSpace, Value *Also) {
  Value *All = conditions(IsInSpace);
  if (Also)
    All = All ? B.CreateAnd(All, Also) : Also;
  if (All)
    B.SetInsertPoint(SplitBlockAndInsertIfThen(All, B.GetInsertPoint(), false));
}

void UpdateEmitter::branchOn(Value *IsInSpace) {
  AccessEmitter::branchOn(IsInSpace, U.By == Update::FirstThread ? C.IsFirstThread : nullptr);
}

Value *UpdateEmitter::times() {
  Value *Times = B.getInt64(U.Count);
  if (U.Times)
    Times = B.CreateMul(Times, B.CreateZExtOrTrunc(U.Times, B.getInt64Ty()));
  if (C.Blocks)
    Times = B.CreateMul(Times, C.Blocks);
  if (U.By == Update::FirstThread)
    Times = B.CreateMul(Times, B.CreateZExt(C.Threads, B.getInt64Ty()));
  return Times;
}

Value *AccessEmitter::tileStride() {
  Value *Stride = B.getInt32(U.Tile->RowBytes);
  if (U.Tile->Stride)
    Stride = B.CreateMul(B.CreateZExtOrTrunc(U.Tile->Stride, B.getInt32Ty()),
                         B.getInt32(U.Tile->StrideUnit));
  return Stride;
}

SmallVector<Value *, 8> AccessEmitter::tileArguments(const TileLanes &By) {
  return {B.getInt32(U.Tile->Rows), B.getInt32(U.Tile->RowBytes), tileStride(),
          B.getInt32(By.Lanes), B.getInt32(By.RowStep)};
}

void Updates::emit(const CountingClone &C, Hooks &H, EmitUpdate Emit) const {
  for (const auto &[_, U] : Planned)
    Emit(C, H, U);
  for (const Update &U : Tiles)
    Emit(C, H, U);
}
