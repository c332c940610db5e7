//===- LowerAccesses.cpp - Alignment checks of vector accesses ------------===//
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
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
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
