//===- OtherBlocks.cpp - Shared memory of a cluster's blocks --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/OtherBlocks.h"

#include "pass/core/Architecture.h"

#include "static-analysis/AddressSpaces.h"
#include "static-analysis/MemoryInstructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace gmprof;

static constexpr unsigned FirstWithClusters = 90;

static bool isOfCluster(const Type &Ty) {
  return Ty.isPointerTy() && Ty.getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER;
}

static bool assemblyNamesOtherBlocks(CallBase &Call) {
  if (StringRef(cast<InlineAsm>(Call.getCalledOperand())->getAsmString()).contains("mapa"))
    return true;
  return any_of(memoryEffects(Call).Accesses, [](const Access &A) {
    return spaceOfAccess(A.Space, pointsTo(A.Pointer)) == GMPROF_SPACE_SHARED_CLUSTER;
  });
}

static bool namesOtherBlocks(const Instruction &I) {
  if (isOfCluster(*I.getType()) ||
      any_of(I.operands(), [](const Use &U) { return isOfCluster(*U->getType()); }))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  return Call->isInlineAsm() ? assemblyNamesOtherBlocks(*const_cast<CallBase *>(Call))
                             : Call->getIntrinsicID() == Intrinsic::nvvm_mapa;
}

bool gmprof::namesOtherBlocks(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return ::namesOtherBlocks(I); });
}

bool gmprof::mayPointToOtherBlocks(const Module &M, bool WholeProgram) {
  return architecture(M) >= FirstWithClusters &&
         (!WholeProgram || any_of(M, [](const Function &F) { return namesOtherBlocks(F); }));
}

Value *gmprof::inOwnBlock(IRBuilderBase &B, Value *Address) {
  Value *Any = B.CreateIntToPtr(Address, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_SHARED));
  Value *Rank = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
  Value *Own = B.CreateIntrinsic(Intrinsic::nvvm_mapa_shared_cluster, {Any, Rank});
  return B.CreatePtrToInt(Own, B.getInt32Ty());
}

Value *gmprof::isOfOtherBlock(IRBuilderBase &B, Value *Pointer) {
  return B.CreateAnd(B.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared_cluster, {Pointer}),
                     B.CreateNot(B.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, {Pointer})));
}
