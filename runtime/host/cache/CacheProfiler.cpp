//===- CacheProfiler.cpp - The profile cache ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/CacheProfiler.h"
#include "host/core/Session.h"

namespace gmprof::host {
namespace {

class CacheCounters : public CloneCounters {
public:
  CacheCounters(CacheContexts &Contexts, CacheShape Shape)
      : Contexts(Contexts), Shape(std::move(Shape)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t Launch, bool, std::string &Why) override {
    Shape.Launch.Facts.Number = Launch;
    return Contexts.acquire(Shape, R.Stream, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override {
    return {.Cache = Contexts.parameter(C)};
  }

private:
  CacheContexts &Contexts;
  CacheShape Shape;
};

} // namespace

CacheProfiler::CacheProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options(), S.trace()) {}

LaunchPlan CacheProfiler::plan(const LaunchToPlan &L, std::string Why) {
  Kernel &K = L.K;
  LaunchPlan P;
  P.Why = std::move(Why);
  if (P.Why.empty() && L.Place != LaunchPlace::Stream)
    P.Why = "launches of graphs are not traced";
  P.Run = &K.Cache;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  if (P.Why.empty())
    P.Why = checkFit(P, L.R);
  if (!P.Why.empty())
    return LaunchPlan::refused(std::move(P.Why));
  P.Mode = log::LaunchMode::Cache;
  CacheShape Shape;
  Shape.Kernel = K.Id;
  Shape.Launch.Kernel = K.Traced;
  Shape.Launch.Ranges = S.memory().ranges(D.ordinal());
  const LaunchInput Input = L.R.input();
  cache::TraceLaunch &Facts = Shape.Launch.Facts;
  Facts.Grid = Input.Grid;
  Facts.Block = Input.Block;
  Facts.SharedBytes = sharedBytesOfBlock(K, P.DynamicShared);
  Facts.BlocksPerSm = blocksPerSm(K.Original, L.R, L.R.DynamicShared);
  Facts.LocalBytesPerThread = K.Traced->LocalBytes;
  Facts.BlockSample = static_cast<uint32_t>(S.options().CacheBlocks.Step);
  Facts.SmSample = S.options().SmSample;
  P.Counters = std::make_unique<CacheCounters>(Contexts, std::move(Shape));
  return P;
}

} // namespace gmprof::host
