//===- LaunchProfilers.cpp - The profiles of a run on one device ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LaunchProfilers.h"
#include "host/cache/CacheProfiler.h"
#include "host/core/Session.h"
#include "host/global/GlobalProfiler.h"
#include "host/heat/HeatProfiler.h"
#include "host/hits/ObjectsProfiler.h"
#include "host/shared/SharedProfiler.h"
#include "profile/Demangle.h"
#include <algorithm>

namespace gmprof::host {
namespace {

template <typename Profiler> std::unique_ptr<LaunchProfiler> make(Session &S, Device &D) {
  return std::make_unique<Profiler>(S, D);
}

/// The profiles that each profiler records, in the order of their turns. In a run of sync alone,
/// no kernel has a clone: launches are recorded with the objects that are known before they run.
constexpr struct {
  ProfileSet Records;
  std::unique_ptr<LaunchProfiler> (*Make)(Session &S, Device &D);
} Profilers[] = {
    {ProfileChoice::Heat, make<HeatProfiler>},
    {ProfileChoice::Shared, make<SharedProfiler>},
    {ProfileSet(ProfileChoice::Global) | ProfileChoice::Elements, make<GlobalProfiler>},
    {ProfileChoice::Cache, make<CacheProfiler>},
    {ProfileSet(ProfileChoice::Objects) | ProfileChoice::Sync, make<ObjectsProfiler>}};

} // namespace

LaunchProfilers::LaunchProfilers(Session &S, Device &D) : Log(S.log()) {
  const ProfileSet Profiles = S.options().Profiles;
  for (const auto &Row : Profilers)
    if (Profiles.hasAny(Row.Records)) {
      All.push_back(Row.Make(S, D));
      All.back()->Index = All.size() - 1;
    }
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
      if (!Plan.counts())
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

/// A node of a graph counts in one context only.
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
  if (LaunchProfiler *Always = recorderOfAll(L.K)) {
    if (!Plan.counts()) {
      Plan = Always->plan(L, std::move(Why));
      Plan.Profiler = Always;
    }
    Plan.ModeWithoutClone = log::LaunchMode::Objects;
  } else if (!Plan.counts() && !Forms.empty()) {
    Plan = {};
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
