//===- BarrierIntervals.cpp - Code separated by block barriers ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "BarrierIntervals.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gmprof;

bool BarrierIntervals::isBlockBarrier(const Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  switch (Intrinsic ? Intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_barrier_cta_sync_all:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
    return isa<ConstantInt>(Intrinsic->getArgOperand(0));
  default:
    return false;
  }
}

BarrierIntervals::BarrierIntervals(const Function &F) {
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB)
      if (isBlockBarrier(I))
        Barriers.try_emplace(&BB, &I, &I).first->second.second = &I;
}

bool BarrierIntervals::isReachable(const Instruction &From, const Instruction &To) const {
  const BasicBlock *FromBlock = From.getParent(), *ToBlock = To.getParent();
  auto BarrierAfterFrom = Barriers.find(FromBlock);
  auto BarrierBeforeTo = Barriers.find(ToBlock);
  bool LeavesBlock =
      BarrierAfterFrom == Barriers.end() || !From.comesBefore(BarrierAfterFrom->second.second);
  bool IsEnteredBlock =
      BarrierBeforeTo == Barriers.end() || !BarrierBeforeTo->second.first->comesBefore(&To);

  if (FromBlock == ToBlock && From.comesBefore(&To)) {
    auto Between = make_range(std::next(From.getIterator()), To.getIterator());
    if (none_of(Between, isBlockBarrier))
      return true;
  }
  if (!LeavesBlock || !IsEnteredBlock)
    return false;
  SmallPtrSet<const BasicBlock *, 32> Visited;
  SmallVector<const BasicBlock *, 16> Worklist(successors(FromBlock));
  while (!Worklist.empty()) {
    const BasicBlock *BB = Worklist.pop_back_val();
    if (BB == ToBlock)
      return true;
    if (!Visited.insert(BB).second || Barriers.contains(BB))
      continue;
    append_range(Worklist, successors(BB));
  }
  return false;
}
