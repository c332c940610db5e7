//===- BlocksProfiler.cpp - Records where and when blocks run -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/BlocksProfiler.h"
#include "host/core/Session.h"
#include "profile/KernelDescriptor.h"
#include "profile/Mutex.h"

namespace gmprof::host {
namespace {

struct BlocksContext : LaunchContext {
  PlacedLaunch Launch;
};

struct BlocksClones : KernelClones {
  std::vector<Clone *> all() override { return {&Blocks}; }

  Clone Blocks;
};

class BlocksCounters : public CloneCounters {
public:
  BlocksCounters(BlocksContexts &Contexts, const Kernel &K) : Contexts(Contexts), K(K) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t Launch, bool, std::string &Why) override {
    BlocksShape Shape;
    Shape.Kernel = K.Id;
    Shape.Launch = placedLaunch(K, R, Launch);
    Shape.Blocks = R.blocks();
    return Contexts.acquire(Shape, R.Stream, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override {
    return GmprofTraceLaunch{C.Memory.Address, 0, UINT64_MAX, 1, 1};
  }

private:
  BlocksContexts &Contexts;
  const Kernel &K;
};

ContextLimits limits() {
  ContextLimits Limits;
  Limits.SingleLaunches = UINT64_MAX;
  return Limits;
}

} // namespace

PlacedLaunch placedLaunch(const Kernel &K, const LaunchRequest &R, uint64_t Launch) {
  return {K.Name, Launch, {R.Grid.x, R.Grid.y, R.Grid.z}, {R.Block.x, R.Block.y, R.Block.z}};
}

BlocksContexts::BlocksContexts(Device &D, Recorder &Log) : LaunchContexts(D, Log, limits()) {}

std::unique_ptr<LaunchContext> BlocksContexts::make(const ContextShape &Of, bool Spare) {
  const auto &Shape = static_cast<const BlocksShape &>(Of);
  auto C = std::make_unique<BlocksContext>();
  C->Launch = Shape.Launch;
  C->Bytes = Shape.Blocks * sizeof(GmprofPlacedBlock);
  const std::optional<SlabPool::Block> Memory =
      D.memory().allocate(C->Bytes, Spare ? 4 * Limits.Bytes : Limits.Bytes);
  if (!Memory)
    return nullptr;
  C->Memory = *Memory;
  return C;
}

void BlocksContexts::emit(const LaunchContext &Of, std::span<const std::byte> Counts) {
  const auto &C = static_cast<const BlocksContext &>(Of);
  const std::span Blocks(reinterpret_cast<const GmprofPlacedBlock *>(Counts.data()),
                         C.Bytes / sizeof(GmprofPlacedBlock));
  LockGuard Guard(FileLock);
  if (!BlockPlacements::append(BlockPlacements::pathOf(Log.path()), C.Launch, Blocks))
    Log.gap("placements of blocks", "their file could not be written", 1);
}

BlocksProfiler::BlocksProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log()) {}

std::unique_ptr<KernelClones> BlocksProfiler::prepare(const Kernel & /*K*/,
                                                      const KernelModule &Module,
                                                      const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<BlocksClones>();
  Clones->NeverProfiled =
      (Desc.Modes & GMPROF_MODE_BLOCKS) == 0
          ? "it has no clone for this profile"
          : Module.findClone(GMPROF_BLOCKS_CLONE_SUFFIX, sizeof(GmprofTraceLaunch), Clones->Blocks);
  return Clones;
}

LaunchPlan BlocksProfiler::plan(const LaunchToPlan &L, std::string Why) {
  LaunchPlan P = planOutsideGraphs(clonesOf<BlocksClones>(L.K).Blocks, L, std::move(Why));
  if (!P.Why.empty())
    return P;
  P.Mode = log::LaunchMode::Cache;
  P.Counters = std::make_unique<BlocksCounters>(Contexts, L.K);
  return P;
}

} // namespace gmprof::host
