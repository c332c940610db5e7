//===- GlobalProfiler.cpp - The profiles global and elements --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/GlobalProfiler.h"
#include "host/core/Session.h"
#include "host/launch/LaunchProfilers.h"
#include "profile/KernelDescriptor.h"

namespace gmprof::host {
namespace {

class GlobalClones : public KernelClones {
public:
  std::vector<Clone *> all() override { return {&Rest, &All}; }

  Clone Rest; ///< counts what closed forms do not describe
  Clone All;
  std::unique_ptr<GlobalKernel> Cases; ///< null: never profiled
};

class GlobalCounters : public CloneCounters {
public:
  GlobalCounters(GlobalContexts &Contexts, std::shared_ptr<const GlobalCase> Case)
      : Contexts(Contexts), Case(std::move(Case)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Case, R.Stream, Capturing, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override { return Contexts.parameter(C); }
  bool countsIn(const LaunchContext &C) const override { return GlobalContexts::counts(C, *Case); }
  uint64_t logContext(const LaunchContext &) const override { return Case->Context; }
  uint64_t caseInContext() const override { return Case->Context; }

private:
  GlobalContexts &Contexts;
  const std::shared_ptr<const GlobalCase> Case;
};

} // namespace

std::unique_ptr<LaunchProfiler> makeGlobalProfiler(Session &S, Device &D) {
  return std::make_unique<GlobalProfiler>(S, D);
}

GlobalProfiler::GlobalProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options()) {}

std::unique_ptr<KernelClones> GlobalProfiler::prepare(const Kernel &, const KernelModule &Module,
                                                      const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<GlobalClones>();
  Clones->NothingToProfile = !usesGlobalMemory(Desc);
  std::string &Why = Clones->NeverProfiled;
  if ((Desc.Modes & GMPROF_MODE_GLOBAL) == 0) {
    Why = Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
    return Clones;
  }
  if (Desc.Modes & GMPROF_MODE_GLOBAL_CLONE)
    Why = Module.findClone(GMPROF_GLOBAL_CLONE_SUFFIX, sizeof(GmprofGlobalLaunch), Clones->Rest);
  if (Why.empty() && (Desc.Modes & GMPROF_MODE_GLOBAL_ALL))
    Why = Module.findClone(GMPROF_GLOBAL_ALL_CLONE_SUFFIX, sizeof(GmprofGlobalLaunch), Clones->All);
  if (Why.empty()) {
    Clones->Cases =
        std::make_unique<GlobalKernel>(Desc, Module.paramSizes(), Module.recordVariables(Desc),
                                       D.facts().OnCpu ? UINT64_MAX : GlobalKernel::MaxEvaluated);
    Why = Clones->Cases->problem();
    if (Why.empty() && Clones->Cases->reachesAnything())
      Module.recordAllVariables();
  }
  if (!Why.empty())
    Clones->removeAll();
  return Clones;
}

std::shared_ptr<const GlobalCase> GlobalProfiler::caseOf(const LaunchToPlan &L,
                                                         unsigned BlockSample) {
  // Single launches are compared where nothing else keeps that from being exact, and there is
  // memory for the counters of several.
  const bool Singles = S.options().Profiles.has(ProfileChoice::Elements) &&
                       L.Place == LaunchPlace::Stream && S.options().BlockSample == 1;
  const uint64_t SingleBytes = Singles ? Contexts.availableBytes() / 4 : 0;
  const LaunchInput Input = L.R.input();
  return clonesOf<GlobalClones>(L.K).Cases->caseOf(L.K.Id, D.ordinal(), Input.Grid, Input.Block,
                                                   Input.Args, L.Place, BlockSample, S.objects(),
                                                   S.log(), SingleBytes);
}

LaunchPlan GlobalProfiler::plan(const LaunchToPlan &L, std::string Why) {
  if (!Why.empty())
    return LaunchPlan::refused(std::move(Why));
  std::shared_ptr<const GlobalCase> Case = caseOf(L, S.options().BlockSample);
  LaunchPlan P;
  P.Mode = Case->FormsHold ? log::LaunchMode::Global : log::LaunchMode::GlobalAll;
  if (!Case->Counts) {
    P.KnownContext = Case->Context;
    return P;
  }
  auto &Clones = clonesOf<GlobalClones>(L.K);
  P.Run = Case->FormsHold ? &Clones.Rest : &Clones.All;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  P.Why = *P.Run ? checkFit(P, L) : "its clone that counts is missing from the module";
  if (!P.Why.empty())
    return LaunchPlan::refused(std::move(P.Why));
  switch (blockSampleOf(L, P)) {
  case BlockSample::Blocks:
    break;
  case BlockSample::Whole:
    Case = caseOf(L, /*BlockSample=*/1);
    break;
  case BlockSample::None:
    return notInBlockSample();
  }
  P.Counters = std::make_unique<GlobalCounters>(Contexts, std::move(Case));
  return P;
}

FormsContext GlobalProfiler::contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t,
                                               bool InGraph) {
  const auto &Clones = clonesOf<GlobalClones>(K);
  if (!Clones.Cases)
    return {};
  const std::shared_ptr<const GlobalCase> Case =
      Clones.Cases->caseOf(K.Id, D.ordinal(), L.Grid, L.Block, L.Args,
                           InGraph ? LaunchPlace::Graph : LaunchPlace::Stream,
                           S.options().BlockSample, S.objects(), S.log());
  if (Case->Counts || !Case->FormsHold)
    return {};
  return {Case->Context, log::LaunchMode::Global};
}

} // namespace gmprof::host
