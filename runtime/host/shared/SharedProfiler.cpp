//===- SharedProfiler.cpp - The profile of shared memory ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/shared/SharedProfiler.h"
#include "host/core/Session.h"
#include "host/launch/LaunchProfilers.h"
#include "host/shared/SharedKernel.h"
#include "profile/KernelDescriptor.h"

namespace gmprof::host {

static uint32_t alignTo(uint32_t Value, uint32_t Alignment) {
  return (Value + Alignment - 1) / Alignment * Alignment;
}

SharedCounterRoom sharedCounterRoom(uint32_t StaticShared, uint32_t DynamicShared,
                                    uint32_t CounterBits, uint32_t RangeVariables) {
  // Dynamic shared memory begins behind the static variables at its alignment,
  // which is at most 128 bytes. 16 words are at least 16 bytes of counters.
  uint32_t Bytes = DynamicShared != 0 ? alignTo(StaticShared, 128) + DynamicShared : StaticShared;
  SharedCounterRoom Room = {};
  Room.Words = std::max(alignTo((Bytes + 3) / 4, 16), 16u);
  Room.CounterOffset = alignTo(DynamicShared, 16);
  const uint32_t Counters = Room.Words * (CounterBits / 8);
  // A spare counter follows the others.
  Room.Ranges = {RangeVariables, RangeVariables ? Counters + 16 : 0};
  Room.CounterBytes = Counters + Room.Ranges.stateBytes(Room.Words) + GMPROF_SHARED_CONTROL_BYTES;
  return Room;
}

namespace {

class SharedClones : public KernelClones {
public:
  SharedClones(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes)
      : VariableCount(static_cast<uint32_t>(Desc.Variables.size())), CounterBits(Desc.CounterBits),
        RangeVariables(static_cast<uint32_t>(Desc.RangeVariables.size())),
        Known(Desc.Modes & GMPROF_MODE_SHARED_KNOWN),
        BlocksAlike(Desc.Flags & GMPROF_KERNEL_BLOCKS_ALIKE), Forms(Desc, std::move(ParamBytes)) {}

  std::vector<Clone *> all() override { return {&Rest, &All, &InDeviceMemory}; }
  bool hasForms() const { return Known || Forms.hasForms(); }

  Clone Rest;           ///< counts what closed forms do not describe
  Clone All;            ///< counts all, and live ranges
  Clone InDeviceMemory; ///< has its counters in device memory
  const uint32_t VariableCount, CounterBits;
  const uint32_t RangeVariables; ///< number of variables whose live ranges All counts
  const bool Known;              ///< closed forms describe all accesses
  const bool BlocksAlike;        ///< the first block counts for all
  SharedKernel Forms;
  std::atomic<bool> RangesCounted{false}; ///< a launch has counted live ranges
};

class SharedCounters : public CloneCounters {
public:
  SharedCounters(SharedContexts &Contexts, SharedClones &K, const LaunchShape &Shape)
      : Contexts(Contexts), K(K), Shape(Shape) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Shape, R.blocks(), R.Stream, Capturing, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override { return Contexts.parameter(C); }
  bool countsIn(const LaunchContext &C) const override { return SharedContexts::counts(C, Shape); }
  void started() const override {
    if (Shape.Ranges.Variables != 0)
      K.RangesCounted.store(true, std::memory_order_relaxed);
  }

private:
  SharedContexts &Contexts;
  SharedClones &K;
  const LaunchShape Shape;
};

/// Returns whether this launch counts live ranges, if it has room.
bool wantsRanges(const SharedClones &K, LiveRangeLaunches Which) {
  return K.RangeVariables != 0 && Which != LiveRangeLaunches::None &&
         (Which == LiveRangeLaunches::Every || !K.RangesCounted.load(std::memory_order_relaxed));
}

} // namespace

std::unique_ptr<LaunchProfiler> makeSharedProfiler(Session &S, Device &D) {
  return std::make_unique<SharedProfiler>(S, D);
}

SharedProfiler::SharedProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log()) {}

std::unique_ptr<KernelClones> SharedProfiler::prepare(const Kernel &K, const KernelModule &Module,
                                                      const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<SharedClones>(Desc, Module.paramSizes());
  Clones->NothingToProfile = K.StaticShared == 0 && !usesSharedMemory(Desc);
  const struct {
    GmprofMode Mode;
    const char *Suffix;
    Clone &To;
  } Kinds[] = {{GMPROF_MODE_SHARED, GMPROF_SHARED_CLONE_SUFFIX, Clones->Rest},
               {GMPROF_MODE_SHARED_ALL, GMPROF_SHARED_ALL_CLONE_SUFFIX, Clones->All},
               {GMPROF_MODE_SHARED_DM, GMPROF_SHARED_DM_CLONE_SUFFIX, Clones->InDeviceMemory}};
  bool Any = Clones->Known;
  std::string &Why = Clones->NeverProfiled;
  for (const auto &Kind : Kinds)
    if (Why.empty() && (Desc.Modes & Kind.Mode)) {
      Any = true;
      Why = Module.findClone(Kind.Suffix, sizeof(GmprofSharedLaunch), Kind.To);
    }
  if (!Any)
    Why = Desc.SharedReason.empty() ? "it has no clone for this profile" : Desc.SharedReason;
  else if (!Why.empty())
    Clones->removeAll();
  return Clones;
}

/// Returns whether the launch fits with this room for counters.
bool SharedProfiler::planInSharedMemory(Clone &C, const LaunchToPlan &L,
                                        const SharedCounterRoom &Room, LaunchPlan &P,
                                        LaunchShape &Shape) const {
  if (!C)
    return false;
  P.Mode = log::LaunchMode::Shared;
  P.Run = &C;
  Shape.CounterOffset = Room.CounterOffset;
  Shape.CounterBytes = Room.CounterBytes;
  Shape.Ranges = Room.Ranges;
  P.DynamicShared = Room.end();
  P.Why = checkFit(P, L);
  return P.Why.empty();
}

/// Returns false, with P.Why set, if the launch is not profiled. In the body of a conditional node
/// all is counted, since it is not known how often closed forms would be true.
bool SharedProfiler::planClone(const LaunchToPlan &L, LaunchPlan &P, LaunchShape &Shape) {
  auto &K = clonesOf<SharedClones>(L.K);
  const LaunchRequest &R = L.R;
  const uint32_t Static = L.K.StaticShared;
  const bool InBody = L.Place == LaunchPlace::GraphBody;
  const auto Dynamic = static_cast<uint32_t>(R.DynamicShared);
  const SharedCounterRoom Room = sharedCounterRoom(Static, Dynamic, K.CounterBits);
  Shape = {{L.K.Id, L.Place}, Room.Words, K.VariableCount, Dynamic, 0, 0, false, {}};
  Shape.BlockSample = S.options().BlockSample;
  if (InBody)
    Shape.BodyBlocks =
        K.BlocksAlike ? R.blocks() : (R.blocks() + Shape.BlockSample - 1) / Shape.BlockSample;
  if (P.Why.empty() && !L.Fallback) {
    P.LacksRanges = wantsRanges(K, S.options().LiveRanges);
    if (P.LacksRanges &&
        planInSharedMemory(K.All, L,
                           sharedCounterRoom(Static, Dynamic, K.CounterBits, K.RangeVariables), P,
                           Shape)) {
      P.LacksRanges = false;
      return true;
    }
    if (!InBody && K.hasForms()) {
      const LaunchInput Input = R.input();
      Shape.Case = K.Forms.caseOf(L.K.Id, Input.Grid, Input.Block, Dynamic, R.Args,
                                  L.Place == LaunchPlace::Graph, S.log());
    }
    if (K.Known && Shape.Case != 0) {
      P.Mode = log::LaunchMode::Shared;
      P.Run = nullptr;
      P.KnownContext = Shape.Case;
      P.Why.clear();
      return true;
    }
    if (planInSharedMemory(Shape.Case == 0 && K.hasForms() ? K.All : K.Rest, L, Room, P, Shape))
      return true;
    Shape.Case = 0;
  }
  Shape.Ranges = {};
  if (!K.InDeviceMemory || (!P.Run && !P.Why.empty()))
    return false;
  P.Mode = log::LaunchMode::SharedDm;
  P.Run = &K.InDeviceMemory;
  Shape.CounterOffset = Shape.CounterBytes = 0;
  Shape.DeviceCounters = true;
  P.DynamicShared = Dynamic;
  P.Why = checkFit(P, L);
  return P.Why.empty();
}

LaunchPlan SharedProfiler::plan(const LaunchToPlan &L, std::string Why) {
  LaunchPlan P;
  P.Why = std::move(Why);
  LaunchShape Shape;
  if (!planClone(L, P, Shape))
    return LaunchPlan::refused(std::move(P.Why));
  switch (blockSampleOf(L, P)) {
  case BlockSample::Blocks:
    break;
  case BlockSample::Whole:
    Shape.BlockSample = 1;
    break;
  case BlockSample::None:
    return notInBlockSample();
  }
  auto &K = clonesOf<SharedClones>(L.K);
  P.HasFallback = P.Mode == log::LaunchMode::Shared && K.InDeviceMemory;
  if (P.Run)
    P.Counters = std::make_unique<SharedCounters>(Contexts, K, Shape);
  return P;
}

FormsContext SharedProfiler::contextOfOriginal(Kernel &K, const LaunchInput &L,
                                               uint32_t DynamicShared, bool InGraph) {
  auto &Clones = clonesOf<SharedClones>(K);
  if (!Clones.Known)
    return {};
  return {Clones.Forms.caseOf(K.Id, L.Grid, L.Block, DynamicShared, L.Args, InGraph, S.log()),
          log::LaunchMode::Shared};
}

} // namespace gmprof::host
