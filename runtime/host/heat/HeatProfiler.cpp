//===- HeatProfiler.cpp - The profile heat --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatProfiler.h"
#include "host/core/Session.h"

namespace gmprof::host {
namespace {

class HeatCounters : public CloneCounters {
public:
  HeatCounters(HeatContexts &Contexts, HeatShape Shape)
      : Contexts(Contexts), Shape(std::move(Shape)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Shape, R.Stream, Capturing, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override {
    return {.Heat = Contexts.parameter(C)};
  }

private:
  HeatContexts &Contexts;
  const HeatShape Shape;
};

} // namespace

HeatProfiler::HeatProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options()) {}

/// Returns what closed forms say of the launch; nothing if one does not hold.
std::optional<HeatCase> HeatProfiler::caseOf(Kernel &K, const LaunchInput &L,
                                             uint32_t DynamicShared, bool InGraph) {
  return K.HeatFacts->caseOf(K.Id, L, DynamicShared, S.options().HeatBlocks,
                             *S.memory().ranges(D.ordinal()),
                             K.HeatFacts->objects(L.Args, S.memory()), InGraph, S.log());
}

LaunchPlan HeatProfiler::plan(const LaunchToPlan &L, std::string Why) {
  if (!Why.empty())
    return LaunchPlan::refused(std::move(Why));
  Kernel &K = L.K;
  LaunchPlan P;
  P.Mode = log::LaunchMode::Heat;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  const bool NotesRest = K.Heat.Function;
  std::optional<HeatCase> Case;
  if (K.HeatFacts->hasForms() && L.Place != LaunchPlace::GraphBody) {
    P.Run = NotesRest ? &K.Heat : nullptr;
    if (!NotesRest || checkFit(P, L.R).empty())
      Case = caseOf(K, L.R.input(), P.DynamicShared, L.Place == LaunchPlace::Graph && !NotesRest);
  }
  if (Case && !NotesRest) {
    P.KnownContext = Case->Context;
    return P;
  }
  P.Run = Case || !K.HeatFacts->hasForms() ? &K.Heat : &K.HeatAll;
  P.Why = checkFit(P, L.R);
  if (!P.Why.empty())
    return LaunchPlan::refused(std::move(P.Why));
  HeatShape Shape;
  static_cast<ContextShape &>(Shape) = {K.Id, L.Place};
  Shape.Ranges = S.memory().ranges(D.ordinal());
  Shape.Note = K.HeatNote;
  Shape.Digest = K.HeatDigest;
  Shape.Noted = S.options().HeatBlocks;
  Shape.Blocks = L.R.blocks();
  Shape.Threads = static_cast<uint32_t>(L.R.threads());
  Shape.Sites = K.Sites;
  Shape.FunctionPlaces = K.HeatFacts->functionPlaces();
  Shape.Objects = K.HeatFacts->objects(L.R.Args, S.memory());
  Shape.Case = std::move(Case);
  Shape.SharedBytes = sharedBytesOfBlock(K, P.DynamicShared);
  Shape.DynamicShared = P.DynamicShared;
  P.Counters = std::make_unique<HeatCounters>(Contexts, std::move(Shape));
  return P;
}

uint64_t HeatProfiler::contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t DynamicShared) {
  if (!K.HeatFacts)
    return 0;
  const std::optional<HeatCase> Case = caseOf(K, L, DynamicShared, /*InGraph=*/true);
  return Case ? Case->Context : 0;
}

} // namespace gmprof::host
