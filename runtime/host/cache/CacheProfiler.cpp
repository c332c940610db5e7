//===- CacheProfiler.cpp - The profile cache ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/CacheProfiler.h"
#include "host/cache/BlocksProfiler.h"
#include "host/core/Session.h"
#include "host/launch/LaunchProfilers.h"
#include "profile/Demangle.h"
#include "profile/KernelDescriptor.h"
#include "profile/SiteNumbers.h"

namespace gmprof::host {
namespace {

class CacheClones : public KernelClones {
public:
  std::vector<Clone *> all() override { return {&Traces}; }

  Clone Traces; ///< records requests
  std::shared_ptr<const TracedKernel> Traced;
};

cache::TraceSite tracedSite(const profile::Descriptor &Desc, const profile::Site &S) {
  cache::TraceSite To = {0, S.Source.File, S.Source.Line, S.Function, {}};
  for (const profile::InlinedCall *C : inlineChain(Desc, S.InlinedAt))
    To.InlinedAt.push_back({C->Function, C->Source.File, C->Source.Line});
  return To;
}

class CacheCounters : public CloneCounters {
public:
  /// Placements: null if none are wanted.
  CacheCounters(CacheContexts &Contexts, CacheShape Shape, const Kernel &K, Recorder &Log,
                const BlockPlacements *Placements)
      : Contexts(Contexts), Shape(std::move(Shape)), K(K), Log(Log), Placements(Placements) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t Launch, bool, std::string &Why) override {
    Shape.Launch.Facts.Number = Launch;
    if (Placements) {
      Shape.Launch.Blocks = Placements->find(placedLaunch(K, R, Launch));
      if (!Shape.Launch.Blocks)
        Log.gap("placements of blocks", "the run without a trace has no such launch", 1);
    }
    return Contexts.acquire(Shape, R.Stream, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override { return Contexts.parameter(C); }

private:
  CacheContexts &Contexts;
  CacheShape Shape;
  const Kernel &K;
  Recorder &Log;
  const BlockPlacements *const Placements;
};

} // namespace

std::unique_ptr<LaunchProfiler> makeCacheProfiler(Session &S, Device &D) {
  if (S.options().CacheRun == CacheStage::Blocks)
    return std::make_unique<BlocksProfiler>(S, D);
  return std::make_unique<CacheProfiler>(S, D);
}

CacheProfiler::CacheProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options(), S.trace()) {
  if (S.options().Placement.empty())
    return;
  if (Result<BlockPlacements> Read = BlockPlacements::read(S.options().Placement))
    Placements = std::move(*Read);
  else
    S.log().gap("placements of blocks", Read.error(), 1);
}

std::unique_ptr<KernelClones> CacheProfiler::prepare(const Kernel &K, const KernelModule &Module,
                                                     const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<CacheClones>();
  if ((Desc.Modes & GMPROF_MODE_CACHE) == 0) {
    Clones->NeverProfiled =
        Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
    return Clones;
  }
  Module.recordAllVariables();
  Module.recordVariables(Desc);
  Clones->NeverProfiled =
      Module.findClone(GMPROF_CACHE_CLONE_SUFFIX, sizeof(GmprofTraceLaunch), Clones->Traces);
  if (!Clones->NeverProfiled.empty())
    return Clones;
  auto Traced = std::make_shared<TracedKernel>();
  Traced->Facts = {demangle(K.Name), (Desc.Flags & GMPROF_KERNEL_USES_WARPS) != 0};
  for (const profile::Site &Site : Desc.Sites)
    Traced->Sites.push_back(tracedSite(Desc, Site));
  Traced->Numbers = siteNumbers(Desc);
  Traced->LocalBytes = static_cast<uint32_t>(Module.attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  Clones->Traced = std::move(Traced);
  return Clones;
}

LaunchPlan CacheProfiler::plan(const LaunchToPlan &L, std::string Why) {
  Kernel &K = L.K;
  auto &Clones = clonesOf<CacheClones>(K);
  LaunchPlan P = planOutsideGraphs(Clones.Traces, L, std::move(Why));
  if (!P.Why.empty())
    return P;
  P.Mode = log::LaunchMode::Cache;
  CacheShape Shape;
  Shape.Kernel = K.Id;
  Shape.Launch.Kernel = Clones.Traced;
  Shape.Launch.Ranges = S.memory().ranges(D.ordinal());
  const LaunchInput Input = L.R.input();
  cache::TraceLaunch &Facts = Shape.Launch.Facts;
  Facts.Grid = Input.Grid;
  Facts.Block = Input.Block;
  Facts.SharedBytes = sharedBytesOfBlock(K, P.DynamicShared);
  Facts.BlocksPerSm = blocksPerSm(K.Original, L.R, L.R.DynamicShared);
  Facts.LocalBytesPerThread = Clones.Traced->LocalBytes;
  Facts.BlockSample = static_cast<uint32_t>(S.options().CacheBlocks.Step);
  Facts.SmSample = S.options().SmSample;
  P.Counters = std::make_unique<CacheCounters>(Contexts, std::move(Shape), K, S.log(),
                                               Placements ? &*Placements : nullptr);
  return P;
}

} // namespace gmprof::host
