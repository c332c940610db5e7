//===- Fences.cpp - Instructions that invalidate L1 -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;
using namespace gmprof;

/// Returns true if the scope includes other SMs.
static bool isBeyondBlock(const LLVMContext &Context, SyncScope::ID Scope) {
  if (Scope == SyncScope::SingleThread)
    return false;
  return Context.getSyncScopeName(Scope).value_or("") != "block";
}

static EmptiesL1 always(bool If) { return If ? EmptiesL1::Always : EmptiesL1::Never; }

EmptiesL1 gmprof::emptiesL1(const Instruction &I) {
  const auto Beyond = [&](SyncScope::ID Scope) { return isBeyondBlock(I.getContext(), Scope); };
  if (auto *Fence = dyn_cast<FenceInst>(&I))
    return always(Beyond(Fence->getSyncScopeID()));
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return always(isAcquireOrStronger(Load->getOrdering()) && Beyond(Load->getSyncScopeID()));
  if (auto *Store = dyn_cast<StoreInst>(&I)) // a seq_cst store begins with a fence
    return always(Store->getOrdering() == AtomicOrdering::SequentiallyConsistent &&
                  Beyond(Store->getSyncScopeID()));
  if (auto *CmpXchg = dyn_cast<AtomicCmpXchgInst>(&I))
    return always(isAcquireOrStronger(CmpXchg->getMergedOrdering()) &&
                  Beyond(CmpXchg->getSyncScopeID()));
  // The backend ignores the ordering of AtomicRMWInst.
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    switch (Intrinsic->getIntrinsicID()) {
    case Intrinsic::nvvm_membar_gl:
    case Intrinsic::nvvm_membar_sys:
    case Intrinsic::nvvm_fence_sc_cluster:
    case Intrinsic::nvvm_cp_async_bulk_wait_group:
      return EmptiesL1::Always;
    case Intrinsic::nvvm_barrier_cluster_wait:
    case Intrinsic::nvvm_barrier_cluster_wait_aligned:
      return EmptiesL1::InClusters;
    default:
      break;
    }
  return EmptiesL1::Never;
}

EmptiesL1 gmprof::emptiesL1(StringRef Opcode, ArrayRef<StringRef> Modifiers) {
  const auto HasAny = [&](std::initializer_list<StringRef> Names) {
    return any_of(Names, [&](StringRef Name) { return is_contained(Modifiers, Name); });
  };
  if (Opcode == "cp")
    return always(HasAny({"bulk"}) && HasAny({"wait_group"}) && !HasAny({"read"}));
  if (Opcode == "barrier")
    return HasAny({"cluster"}) && HasAny({"wait"}) ? EmptiesL1::InClusters : EmptiesL1::Never;
  if (Opcode == "membar")
    return always(HasAny({"gl", "sys"}));
  if (HasAny({"cta"}))
    return EmptiesL1::Never;
  if (Opcode == "fence") // without a proxy, and not release-only
    return always(HasAny({"gpu", "sys", "cluster"}) && !HasAny({"proxy", "release"}));
  // The default scope is gpu.
  return always((Opcode == "ld" || Opcode == "atom") && HasAny({"acquire", "acq_rel"}));
}
