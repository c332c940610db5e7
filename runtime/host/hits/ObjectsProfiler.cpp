//===- ObjectsProfiler.cpp - The profile objects --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/hits/ObjectsProfiler.h"
#include "host/core/Session.h"
#include "host/launch/LaunchProfilers.h"

namespace gmprof::host {
namespace {

class HitClones : public KernelClones {
public:
  std::vector<Clone *> all() override { return {&Hits}; }

  Clone Hits; ///< records which objects are accessed
};

class HitCounters : public CloneCounters {
public:
  HitCounters(HitContexts &Contexts, uint32_t Kernel, std::shared_ptr<const LaunchObjects> Objects)
      : Contexts(Contexts), Kernel(Kernel), Objects(std::move(Objects)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Kernel, Capturing, Objects, R.blocks(), R.Stream, Capturing, Slot, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override {
    return Contexts.parameter(C, Slot);
  }
  uint64_t logContext(const LaunchContext &) const override { return 0; }
  void recorded(LaunchContext &C, uint64_t Launch) const override {
    HitContexts::recorded(C, Slot, Launch);
  }

private:
  HitContexts &Contexts;
  const uint32_t Kernel;
  const std::shared_ptr<const LaunchObjects> Objects;
  size_t Slot = 0;
};

} // namespace

std::unique_ptr<LaunchProfiler> makeObjectsProfiler(Session &S, Device &D) {
  return std::make_unique<ObjectsProfiler>(S, D);
}

ObjectsProfiler::ObjectsProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.accessSets()) {}

bool ObjectsProfiler::runsClones() const {
  return S.options().Profiles.has(ProfileChoice::Objects);
}

std::unique_ptr<KernelClones> ObjectsProfiler::prepare(const Kernel &K, const KernelModule &Module,
                                                       const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<HitClones>();
  if (!runsClones() || (Desc.Modes & GMPROF_MODE_OBJECTS_CLONE) == 0)
    return Clones;
  if (K.Accesses->searches())
    Module.recordAllVariables();
  Clones->NeverProfiled =
      Module.findClone(GMPROF_OBJECTS_CLONE_SUFFIX, sizeof(GmprofObjectsLaunch), Clones->Hits);
  return Clones;
}

LaunchPlan ObjectsProfiler::plan(const LaunchToPlan &L, std::string Why) {
  LaunchPlan P;
  P.Mode = log::LaunchMode::Objects;
  P.Why = std::move(Why);
  Clone &Hits = clonesOf<HitClones>(L.K).Hits;
  if (!P.Why.empty() || !Hits || !L.Objects->hasHits())
    return P;
  P.Run = &Hits;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  P.Why = checkFit(P, L);
  if (!P.Why.empty()) {
    P.Run = nullptr;
    return P;
  }
  P.ModeWithoutClone = log::LaunchMode::Objects;
  P.Counters = std::make_unique<HitCounters>(Contexts, L.K.Id, L.Objects);
  return P;
}

} // namespace gmprof::host
