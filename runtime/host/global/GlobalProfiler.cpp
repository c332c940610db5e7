//===- GlobalProfiler.cpp - The profiles global and elements --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/GlobalProfiler.h"
#include "host/core/Session.h"

namespace gmprof::host {
namespace {

class GlobalCounters : public CloneCounters {
public:
  GlobalCounters(GlobalContexts &Contexts, std::shared_ptr<const GlobalCase> Case)
      : Contexts(Contexts), Case(std::move(Case)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Case, R.Stream, Capturing, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override {
    return {.Global = Contexts.parameter(C)};
  }
  bool countsIn(const LaunchContext &C) const override { return GlobalContexts::counts(C, *Case); }
  uint64_t logContext(const LaunchContext &) const override { return Case->Context; }
  uint64_t caseInContext() const override { return Case->Context; }

private:
  GlobalContexts &Contexts;
  const std::shared_ptr<const GlobalCase> Case;
};

} // namespace

GlobalProfiler::GlobalProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options()) {}

std::shared_ptr<const GlobalCase> GlobalProfiler::caseOf(const LaunchToPlan &L,
                                                         unsigned BlockSample) {
  // Single launches are compared where nothing else keeps that from being exact, and there is
  // memory for the counters of several.
  const bool Singles = S.options().Profile == ProfileChoice::Elements &&
                       L.Place == LaunchPlace::Stream && S.options().BlockSample == 1;
  const uint64_t SingleBytes = Singles ? Contexts.availableBytes() / 4 : 0;
  const LaunchInput Input = L.R.input();
  return L.K.GlobalFacts->caseOf(L.K.Id, D.ordinal(), Input.Grid, Input.Block, Input.Args, L.Place,
                                 BlockSample, S.objects(), S.log(), SingleBytes);
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
  P.Run = Case->FormsHold ? &L.K.Global : &L.K.GlobalAll;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  P.Why = P.Run->Function ? checkFit(P, L.R) : "its clone that counts is missing from the module";
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

uint64_t GlobalProfiler::contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t) {
  if (!K.GlobalFacts)
    return 0;
  const std::shared_ptr<const GlobalCase> Case =
      K.GlobalFacts->caseOf(K.Id, D.ordinal(), L.Grid, L.Block, L.Args, LaunchPlace::Graph,
                            S.options().BlockSample, S.objects(), S.log());
  return Case->Counts ? 0 : Case->Context;
}

} // namespace gmprof::host
