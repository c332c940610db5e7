//===- CacheBuilder.cpp - Records the requests that go through the caches -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (von Buelow et al., 2022.) K__gm_cache records each request of global and of local memory, and
// each fence that empties L1. K__gm_blocks records where and when each block runs, at hardly any
// cost: a trace slows blocks down, so that they run on other SMs and overlap otherwise.
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "gmprof/trace.h"
#include "pass/cache/TraceRecords.h"
#include "pass/core/Exits.h"
#include "pass/core/KernelEntry.h"
#include "pass/core/LaunchParameter.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Module.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsTraced, "Kernels with a clone that records requests");

namespace {

class CacheBuilder : public CloneBuilder {
public:
  using CloneBuilder::CloneBuilder;

  bool counts(GmprofSpace Space) const override {
    return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_GLOBAL ||
           Space == GMPROF_SPACE_LOCAL;
  }
  ArrayRef<Fence> fences(const AccessInfo &Info) const override { return Info.Fences; }
  bool recordsSites() const override { return true; }

  void cloneKernel(KernelState &K) override;
  void completeClones(KernelState &K) override;

  StructType *launchType(LLVMContext &Context) const override {
    static_assert(sizeof(GmprofTraceLaunch) == 5 * 8);
    Type *Number = Type::getInt64Ty(Context);
    return launchStruct(Context, "struct.GmprofTraceLaunch",
                        {Number, Number, Number, Number, Number});
  }
  SmallVector<Type *, 5> functionParameters(LLVMContext &Context,
                                            const CloneKind &Kind) const override {
    Type *Pointer = PointerType::getUnqual(Context);
    return {Pointer, Pointer}; // context, cursor
  }
  void instrumentFunction(Clone C) override;
  void emitNotFollowed(IRBuilder<> &B, Argument *First) const override;
  Value *emitBlockCondition(IRBuilder<> &B, const Clone &C) const override {
    return I.hooks().call(B, "trace_block_is_recorded", C.Launch);
  }

private:
  std::optional<RequestClone> KernelClone; ///< of the kernel that is cloned
  std::optional<Clone> BlocksClone;        ///< of the same kernel

  Value *traceContext(IRBuilderBase &B, const Clone &C) const;
  bool recordRequests(RequestClone &C);
  void emitCounters(Clone &C);
  void emitLeave(const Clone &C);
  Clone cloneForBlocks(Function &Kernel);
};

} // namespace

Value *CacheBuilder::traceContext(IRBuilderBase &B, const Clone &C) const {
  Value *Context =
      launchField(B, launchType(B.getContext()), C.Launch, offsetof(GmprofTraceLaunch, context));
  return B.CreateIntToPtr(Context, B.getPtrTy());
}

void CacheBuilder::cloneKernel(KernelState &K) {
  KernelClone.reset();
  BlocksClone.reset();
  if (!isSelected())
    return;
  if (any_of(K.Reachable, [](Function *F) { return usesWarps(*F); }))
    K.D.Flags |= GMPROF_KERNEL_USES_WARPS;
  RequestClone C(I.cloneKernel(K.Kernel, *this, kind(GMPROF_MODE_CACHE)));
  if (!recordRequests(C)) {
    I.discard(C);
    return;
  }
  ++KernelsTraced;
  K.D.Modes |= C.Kind->Mode;
  KernelClone = std::move(C);
  BlocksClone = cloneForBlocks(K.Kernel);
  K.D.Modes |= BlocksClone->Kind->Mode;
}

void CacheBuilder::completeClones(KernelState &K) {
  if (!KernelClone)
    return;
  emitLeave(*KernelClone);
  emitKernelEntry(*KernelClone, K, I.hooks());
  I.complete(*KernelClone, {GMPROF_SYMBOL_PREFIX "trace", /*KeepsOccupancy=*/false});
  I.complete(*BlocksClone, {/*Hooks=*/"", /*KeepsOccupancy=*/true});
}

/// Functions that the kernel calls stay the program's own.
Clone CacheBuilder::cloneForBlocks(Function &Kernel) {
  Clone C = I.cloneKernel(Kernel, *this, kind(GMPROF_MODE_BLOCKS));
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  I.hooks().call(B, "block_begins", C.Launch);
  emitExits(C, /*Together=*/false, I.hooks(),
            [&](IRBuilderBase &B) { I.hooks().call(B, "block_ends", C.Launch); });
  return C;
}

void CacheBuilder::instrumentFunction(Clone Function) {
  RequestClone C(std::move(Function));
  recordRequests(C);
  emitLeave(C);
}

/// Returns whether the clone records any request or fence.
bool CacheBuilder::recordRequests(RequestClone &C) {
  const AccessInfo &Info = I.FAM.getResult<AccessAnalysis>(*C.F);
  FunctionSites &Sites = I.sitesOf(C, Info);
  // Accesses to tables of the compiler also use the caches.
  const auto Requests =
      findRequests(C, Info, Sites, I, [&](const Access &A) { return counts(A.Space); });
  SmallPtrSet<const BasicBlock *, 16> Blocks;
  for (const Request &R : Requests)
    Blocks.insert(R.What.Before->getParent());
  for (const Fence &Each : Info.Fences)
    Blocks.insert(Each.Inst->getParent());
  bringLanesTogether(C, Info, I, Blocks);
  if (C.IsKernel)
    emitCounters(C);
  else if (!Requests.empty())
    emitFirstSite(C, offsetof(GmprofTraceContext, units), I);
  const bool AnyRecords = !Requests.empty() || !Info.Fences.empty();
  for (const Request &R : Requests)
    emitTrace(C, I.hooks(), R);
  for (const Fence &Each : Info.Fences)
    emitTraceOfFence(C, I.hooks(), Each);
  const bool FollowsCalls = finishRequests(C, Sites, I);
  return AnyRecords || FollowsCalls;
}

void CacheBuilder::emitCounters(Clone &C) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  AllocaInst *Cursor = B.CreateAlloca(ArrayType::get(B.getInt64Ty(), sizeof(GmprofTraceCursor) / 8),
                                      nullptr, "gm.cursor");
  // Distances from it tell how local memory is aligned.
  Cursor->setAlignment(Align(16));
  C.Counters = {traceContext(B, C), Cursor};
  I.hooks().call(B, "enter_trace", Cursor);
}

/// Emits at each exit a hook by which the thread releases its chunk.
void CacheBuilder::emitLeave(const Clone &C) {
  emitExits(C, /*Together=*/false, I.hooks(), [&](IRBuilderBase &B) {
    // Kernels load the address again: that is cheaper than a register, and the first load may not
    // dominate the exit.
    Value *Context = C.IsKernel ? traceContext(B, C) : C.Counters[0];
    I.hooks().call(B, "trace_leave", {Context, C.Counters[1]});
  });
}

void CacheBuilder::emitNotFollowed(IRBuilder<> &B, Argument *First) const {
  Value *Lost = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), First,
                                             offsetof(GmprofTraceContext, totals) +
                                                 offsetof(GmprofTraceTotals, outside));
  emitIncrement(B, B.CreateAddrSpaceCast(Lost, B.getPtrTy(1)));
}

static constexpr CloneKind Kinds[] = {
    {GMPROF_MODE_CACHE, GMPROF_CACHE_CLONE_SUFFIX, "requests of global and local memory"},
    {GMPROF_MODE_BLOCKS, GMPROF_BLOCKS_CLONE_SUFFIX, "SM and time of each block"},
};

const Profile gmprof::CacheProfile = {
    "cache", Kinds, nullptr,
    [](Instrumenter &I, const Profile &P) -> std::unique_ptr<CloneBuilder> {
      return std::make_unique<CacheBuilder>(I, P);
    }};
