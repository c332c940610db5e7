//===- SharedClone.cpp - A clone that counts shared memory ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/SharedClone.h"

#include "pass/core/Exits.h"
#include "pass/core/Hooks.h"
#include "pass/core/SharedMemory.h"
#include "pass/shared/SharedLaunch.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;
using namespace gmprof;

/// Returns the shared address of a kernel clone's counters.
static Value *counterBase(IRBuilderBase &B, const Clone &C) {
  Value *Dynamic = B.CreatePtrToInt(dynamicSharedMemory(*C.F->getParent()), B.getInt32Ty());
  return B.CreateAdd(Dynamic,
                     sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, counterOffset)),
                     "gm.base");
}

void gmprof::emitSharedCounters(SharedClone &C, ArrayRef<GlobalVariable *> Variables,
                                const SharedOptions &S, Hooks &H) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  Value *First = firstWord(B, *C.F->getParent(), Variables);
  Value *Words = sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, words));
  if (C.InSharedMemory) {
    C.Counters = {counterBase(B, C), First, Words, B.getInt32(S.Threshold)};
  } else {
    Value *Sums = H.call(B, "sums_of_block", C.Launch);
    Value *Layout = B.CreateIntToPtr(
        sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, layout)), B.getPtrTy());
    C.Counters = {Sums, Layout, First, Words};
    if (C.BlocksAlike)
      C.Blocks = H.call(B, "blocks_of_grid", {});
  }
  C.IsFirstThread = H.call(B, "thread_is_first", {});
  C.Threads = H.call(B, "threads_of_block", {});
}

void gmprof::emitSharedExits(const SharedClone &C, const SharedOptions &S, Hooks &H) {
  emitExits(C, C.LeaveTogether, H, [&](IRBuilderBase &B) {
    // Kernels compute the address again: that is cheaper than a register, and the first computation
    // may not dominate the exit.
    Value *Base = C.IsKernel ? counterBase(B, C) : C.Counters[0];
    const std::string Name = C.CountsRanges ? "leave_ranges_" : "leave_";
    H.call(B, Name + (C.LeaveTogether ? "together_" : "") + "u" + std::to_string(S.CounterBits),
           {C.Launch, Base, B.getInt32(S.Threshold),
            C.BlocksAlike ? H.call(B, "blocks_of_grid", {}) : cast<Value>(B.getInt64(1))});
  });
}

/// Emits stores of the first and of the last word, plus one, of the variables whose live ranges are
/// counted (runtime/device/Ranges.h).
static void writeRangeBounds(IRBuilder<> &B, const SharedClone &C, const KernelState &K, Hooks &H) {
  Value *HasRanges =
      B.CreateIsNotNull(sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, rangeCount)));
  Value *Writes = B.CreateAnd(H.call(B, "thread_is_first", {}), HasRanges);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Writes, B.GetInsertPoint(), /*Unreachable=*/false));
  Type *Int = B.getInt32Ty();
  Value *First = firstWord(B, *C.F->getParent(), K.SharedVariables.getArrayRef());
  Value *At =
      B.CreateAdd(counterBase(B, C),
                  sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, counterBytes)));
  auto Write = [&](Value *Address) {
    Value *Word = B.CreateLShr(B.CreateSub(Address, First), 2);
    B.CreateStore(Word, B.CreateIntToPtr(At, B.getPtrTy(/*AddrSpace=*/3)));
    At = B.CreateAdd(At, B.getInt32(4));
  };
  const DataLayout &Layout = C.F->getDataLayout();
  for (GlobalVariable *Variable : C.RangeVariables) {
    Value *Begin = B.CreatePtrToInt(Variable, Int);
    Value *Bytes = isDynamicSharedMemory(Variable)
                       ? sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, dynamicBytes))
                       : B.getInt32(Layout.getTypeAllocSize(Variable->getValueType()));
    Write(Begin);
    Write(B.CreateAdd(B.CreateAdd(Begin, Bytes), B.getInt32(3)));
  }
}

void gmprof::emitSharedEntry(IRBuilder<> &B, const SharedClone &C, const KernelState &K, Hooks &H) {
  Instruction *End = &*B.GetInsertPoint();
  Value *Writes = H.call(B, "thread_writes_layout", {});
  writeSharedLayout(B, Writes, sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, layout)),
                    K);
  B.SetInsertPoint(End);
  if (C.CountsRanges)
    writeRangeBounds(B, C, K, H);
  B.SetInsertPoint(End);
  if (C.InSharedMemory)
    H.call(B, "enter_shared", {C.Launch, counterBase(B, C)});
  else
    H.call(
        B, "enter_device",
        {C.Launch, C.BlocksAlike ? H.call(B, "blocks_of_grid", {}) : cast<Value>(B.getInt64(1))});
}
