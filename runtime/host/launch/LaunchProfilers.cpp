//===- LaunchProfilers.cpp - The profiles of a run on one device ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LaunchProfilers.h"
#include "host/core/Session.h"
#include "profile/Demangle.h"
#include <algorithm>

namespace gmprof::host {
/// Returns what makes the profilers of these profiles, each once.
static std::vector<MakeProfiler *> makersOf(ProfileSet Profiles) {
  std::vector<MakeProfiler *> Found;
  const auto Add = [&](ProfileChoice P, MakeProfiler *Make) {
    if (Profiles.has(P) && std::ranges::find(Found, Make) == Found.end())
      Found.push_back(Make);
  };
#define GMPROF_PROFILE(name, Choice, Recorder, ...)                                                \
  Add(ProfileChoice::Choice, make##Recorder##Profiler);
#include "gmprof/profiles.def"
  return Found;
}

LaunchProfilers::LaunchProfilers(Session &S, Device &D) : Log(S.log()) {
  const ProfileSet Profiles = S.options().Profiles;
  std::vector<std::unique_ptr<LaunchProfiler>> Made;
  for (MakeProfiler *Make : makersOf(Profiles))
    Made.push_back(Make(S, D));
  // Profilers that record samples come first: their reasons matter more.
  for (const bool EveryLaunch : {false, true})
    for (std::unique_ptr<LaunchProfiler> &P : Made)
      if (P && P->recordsEveryLaunch() == EveryLaunch)
        All.push_back(std::move(P));
  for (size_t I = 0; I < All.size(); ++I)
    All[I]->Index = I;
  if (Profiles.several())
    Times.emplace(D, S.log());
}

bool LaunchProfilers::needFunctions() const {
  return std::ranges::any_of(
      All, [](const std::unique_ptr<LaunchProfiler> &P) { return P->needsFunctions(); });
}

std::vector<std::string_view> LaunchProfilers::cloneProfiles() const {
  std::vector<std::string_view> Names;
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    if (const char *Name = Each->cloneProfile())
      Names.emplace_back(Name);
  return Names;
}

std::string LaunchProfilers::prepare(Kernel &K, const KernelModule &Module,
                                     const profile::Descriptor &Desc) {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    K.ByProfile.push_back(Each->prepare(K, Module, Desc));
  const bool Any = std::ranges::any_of(
      All, [&](const std::unique_ptr<LaunchProfiler> &P) { return isUsable(*P, K); });
  if (!Any)
    return K.ByProfile[0]->NeverProfiled;
  for (const std::unique_ptr<KernelClones> &Each : K.ByProfile)
    if (!Each->NeverProfiled.empty() && !Each->NothingToProfile)
      Log.gap("instrumented kernels", "`" + demangle(K.Name) + "`: " + Each->NeverProfiled, 1);
  return "";
}

/// Returns whether the plan lacks a clone that is still being made.
static bool awaitsClone(const LaunchPlan &Plan, const Kernel &K) {
  return !Plan.counts() && Plan.Profiler && !K.ByProfile.empty() &&
         K.ByProfile[Plan.Profiler->index()]->awaitsClone();
}

LaunchPlan LaunchProfilers::plan(const LaunchToPlan &L, const std::string &Outside,
                                 std::string Why) {
  if (All.size() > 1)
    return planSeveral(L, Outside, std::move(Why));
  LaunchPlan P;
  if (!Outside.empty()) {
    P.Why = Outside;
    return P;
  }
  P = All[0]->plan(L, std::move(Why));
  P.Profiler = All[0].get();
  if (!All[0]->recordsEveryLaunch() && awaitsClone(P, L.K))
    P = LaunchPlan::awaitingClone();
  return P;
}

/// Returns the profiles that record samples of the kernel's launches; the one whose clone ran least
/// often comes first.
std::vector<LaunchProfiler *> LaunchProfilers::inTurn(const Kernel &K) const {
  std::vector<std::pair<uint64_t, size_t>> Turns; // clones that ran, index
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    if (!Each->recordsEveryLaunch() && isUsable(*Each, K))
      Turns.emplace_back(K.Launches->clonesRun(Each->index()), Each->index());
  std::ranges::sort(Turns);
  std::vector<LaunchProfiler *> Found;
  for (const auto &[Ran, Index] : Turns)
    Found.push_back(All[Index].get());
  return Found;
}

/// Plans a clone of the first profile in turn that needs one, and appends the contexts of those
/// that need none to Forms.
LaunchPlan LaunchProfilers::planTurn(const LaunchToPlan &L, std::vector<FormsContext> &Forms) {
  LaunchPlan Plan;
  for (LaunchProfiler *P : inTurn(L.K)) {
    const bool InBody = L.Place == LaunchPlace::GraphBody;
    const FormsContext C =
        InBody ? FormsContext()
               : P->contextOfOriginal(L.K, L.R.input(), static_cast<uint32_t>(L.R.DynamicShared),
                                      L.Place == LaunchPlace::Graph);
    if (C.Context != 0) {
      Forms.push_back(C);
    } else if (!Plan.Run && !L.K.ByProfile[P->index()]->NothingToProfile) {
      Plan = P->plan(L, "");
      Plan.Profiler = P;
      if (awaitsClone(Plan, L.K))
        Plan = LaunchPlan::awaitingClone();
      else if (!Plan.counts())
        Log.gap("instrumented launches", Plan.Why, 1);
    }
  }
  return Plan;
}

/// Returns the profile that records every launch of the kernel; null if there is none.
LaunchProfiler *LaunchProfilers::recorderOfAll(const Kernel &K) const {
  const auto Found = std::ranges::find_if(All, [&](const std::unique_ptr<LaunchProfiler> &P) {
    return P->recordsEveryLaunch() && isUsable(*P, K);
  });
  return Found == All.end() ? nullptr : Found->get();
}

/// Keeps one context of a graph's node, which counts in no more.
static void keepOneContext(LaunchPlan &Plan, std::vector<FormsContext> &Forms) {
  if (!Plan.counts() && !Forms.empty())
    Plan.countIn(Forms.front());
  Forms.clear();
}

LaunchPlan LaunchProfilers::planSeveral(const LaunchToPlan &L, const std::string &Outside,
                                        std::string Why) {
  LaunchPlan Plan;
  std::vector<FormsContext> Forms;
  if (Outside.empty() && Why.empty())
    Plan = planTurn(L, Forms);
  else
    Plan.Why = Outside.empty() ? Why : Outside;
  const bool AwaitsClone = Plan.AwaitsClone;
  if (LaunchProfiler *Always = recorderOfAll(L.K)) {
    if (!Plan.counts()) {
      Plan = Always->plan(L, std::move(Why));
      Plan.Profiler = Always;
      Plan.AwaitsClone = AwaitsClone;
    }
    Plan.ModeWithoutClone = log::LaunchMode::Objects;
  } else if (!Plan.counts() && !Forms.empty()) {
    Plan = {};
    Plan.AwaitsClone = AwaitsClone;
    Plan.countIn(Forms.back());
    Forms.pop_back();
  }
  if (L.Place != LaunchPlace::Stream)
    keepOneContext(Plan, Forms);
  Plan.Forms = std::move(Forms);
  return Plan;
}

void LaunchProfilers::poll() {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->contexts().poll();
  if (Times)
    Times->poll();
}

void LaunchProfilers::finishEnded() {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->contexts().finishEnded();
  if (Times)
    Times->poll();
}

void LaunchProfilers::streamDestroyed(CUstream Stream) {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->contexts().streamDestroyed(Stream);
}

void LaunchProfilers::beforeGraphLaunch(CUstream Stream, bool Capturing) {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->contexts().beforeGraphLaunch(Stream, Capturing);
}

void LaunchProfilers::afterGraphLaunch() {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->contexts().afterGraphLaunch();
}

void LaunchProfilers::objectReleased(uint64_t Object) {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->objectReleased(Object);
}

void LaunchProfilers::moduleUnloading() {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->moduleUnloading();
}

bool LaunchProfilers::giveBackMemory() {
  bool Any = false;
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Any |= Each->giveBackMemory();
  return Any;
}

size_t LaunchProfilers::peakBytes() const {
  size_t Bytes = 0;
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Bytes += Each->peakBytes();
  return Bytes;
}

void LaunchProfilers::finish() {
  for (const std::unique_ptr<LaunchProfiler> &Each : All)
    Each->finish();
  if (Times)
    Times->finish();
}

} // namespace gmprof::host
