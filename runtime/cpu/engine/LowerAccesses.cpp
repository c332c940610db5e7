//===- LowerAccesses.cpp - Addresses of accesses as on a GPU --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU faults when a vector (float4 …) is accessed at an address that is not a multiple of its
// size; x86-64 mostly does not. Vector accesses are few and the error is common (a cast pointer),
// so each is checked, including copies, and scalar accesses with the alignment of a vector, which
// the GPU's code generator merges into vector accesses. Other accesses are not checked, because of
// the cost.
//
// Addresses of shared memory have 32 bits: p[~i] with an unsigned i is an element before p. Shared
// memory is below 4 GiB on the CPU device, so the lower half of such an address is kept.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gmprof::cpu {

static void check(Instruction &Access, Value *Pointer, Align Alignment, LoweringContext &Context) {
  IRBuilder<> B(&Access);
  Value *Address = B.CreatePtrToInt(Pointer, B.getInt64Ty());
  Value *Rest = B.CreateAnd(Address, B.getInt64(Alignment.value() - 1));
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateIsNotNull(Rest), Access.getIterator(), /*Unreachable=*/true,
                                MDBuilder(B.getContext()).createUnlikelyBranchWeights());
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Access.getDebugLoc());
  Context.callHelper(B, "gm_misaligned", B.getVoidTy(),
                     {Context.threadState(B), Address, B.getInt32(Alignment.value())});
}

/// Pointer operand of an instruction, with the alignment that it promises.
struct Promise {
  Instruction *Access;
  Value *Pointer;
  Align Alignment;
};

static void collect(Instruction &I, SmallVectorImpl<Promise> &Found) {
  if (Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I))) {
    Type *Type = getLoadStoreType(&I);
    if (Type->isVectorTy() ||
        getLoadStoreAlignment(&I).value() > I.getDataLayout().getTypeStoreSize(Type))
      Found.push_back({&I, Pointer, getLoadStoreAlignment(&I)});
  } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    Found.push_back({&I, Copy->getRawDest(), Copy->getDestAlign().valueOrOne()});
    Found.push_back({&I, Copy->getRawSource(), Copy->getSourceAlign().valueOrOne()});
  }
}

/// Returns true if an address in shared memory is computed from an unsigned number of 32 bits.
static bool mayWrap(const Value *Pointer) {
  auto *Array = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer));
  if (!Array || Array->getAddressSpace() != NVPTXAS::ADDRESS_SPACE_SHARED)
    return false;
  for (auto *GEP = dyn_cast<GEPOperator>(Pointer); GEP;
       GEP = dyn_cast<GEPOperator>(GEP->getPointerOperand()))
    for (const Use &Index : GEP->indices())
      if (auto *Extended = dyn_cast<ZExtInst>(Index); Extended && !Extended->hasNonNeg())
        return true;
  return false;
}

/// Replaces the address by its lower 32 bits.
static void wrap(Instruction &Access, Value *Pointer) {
  IRBuilder<> B(&Access);
  Value *Wrapped = B.CreateIntrinsic(Intrinsic::ptrmask, {Pointer->getType(), B.getInt64Ty()},
                                     {Pointer, B.getInt64(UINT32_MAX)});
  Access.replaceUsesOfWith(Pointer, Wrapped);
}

/// Returns the address that the instruction accesses; null if it is no access.
static Value *addressOf(Instruction &I) {
  if (Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I)))
    return Pointer;
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return Atomic->getPointerOperand();
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Exchange->getPointerOperand();
  return nullptr;
}

void wrapSharedAddresses(Function &F) {
  SmallVector<Instruction *, 16> Wrapping;
  for (Instruction &I : instructions(F))
    if (Value *Pointer = addressOf(I); Pointer && mayWrap(Pointer))
      Wrapping.push_back(&I);
  for (Instruction *I : Wrapping)
    wrap(*I, addressOf(*I));
}

void lowerAccesses(Function &F, LoweringContext &Context) {
  SmallVector<Promise, 16> Promises;
  for (Instruction &I : instructions(F))
    collect(I, Promises);
  const Align LargestVector(16);
  for (const Promise &P : Promises)
    if (P.Alignment.value() > 4 && !isa<AllocaInst>(P.Pointer->stripInBoundsConstantOffsets()))
      check(*P.Access, P.Pointer, std::min(P.Alignment, LargestVector), Context);
}

} // namespace gmprof::cpu
