//===- HeatProfiler.cpp - The profile heat --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatProfiler.h"
#include "host/core/Session.h"
#include "host/heat/HeatKernel.h"
#include "host/launch/LaunchProfilers.h"
#include "profile/KernelDescriptor.h"
#include "profile/Mutex.h"
#include "profile/SiteNumbers.h"

namespace gmprof::host {
namespace {

class HeatClones : public KernelClones {
public:
  std::vector<Clone *> all() override { return {&Rest, &All}; }
  /// Returns true if closed forms describe all accesses of the launches for which they hold.
  bool onlyForms() const { return Forms && Forms->hasForms() && !Rest; }

  Clone Rest; ///< records accesses that closed forms do not describe
  Clone All;
  CUfunction Note = nullptr;   ///< records the requests that blocks have left; null: not loaded
  CUfunction Digest = nullptr; ///< makes digests of recorded requests; null: not loaded
  std::unique_ptr<HeatKernel> Forms; ///< null: never profiled
  SiteNumbers Sites;
};

class HeatCounters : public CloneCounters {
public:
  HeatCounters(HeatContexts &Contexts, HeatShape Shape)
      : Contexts(Contexts), Shape(std::move(Shape)) {}

  LaunchContext *acquire(const LaunchRequest &R, uint64_t, bool Capturing,
                         std::string &Why) override {
    return Contexts.acquire(Shape, R.Stream, Capturing, Why);
  }
  CloneParameter parameter(const LaunchContext &C) const override { return Contexts.parameter(C); }

private:
  HeatContexts &Contexts;
  const HeatShape Shape;
};

} // namespace

std::unique_ptr<LaunchProfiler> makeHeatProfiler(Session &S, Device &D) {
  return std::make_unique<HeatProfiler>(S, D);
}

HeatProfiler::HeatProfiler(Session &S, Device &D)
    : LaunchProfiler(S, D), Contexts(D, S.log(), S.options()) {}

/// Finds a kernel among the hooks and compiles or loads it now, before a clone runs: its first
/// launch may be at the end of the program, which is too late for the CPU device's compiler.
std::string HeatProfiler::loadHelper(Kernel &K, const char *Name, CUfunction &To) const {
  if (To)
    return "";
  DriverScope Scope(D.api(), D.context());
  if (std::string Why = K.Owner->findHookKernel(K, Name, To); !Why.empty())
    return Why;
  CUresult Error = HeatContexts::launchOver(D.api(), To, 0, 0, D.stream());
  if (Error == CUDA_SUCCESS)
    Error = D.api().cuStreamSynchronize(D.stream());
  if (Error == CUDA_SUCCESS)
    return "";
  To = nullptr;
  return std::string("the kernel ") + Name + " cannot run: " + describe(Error);
}

/// Sets the kernels that process what a launch leaves. Returns why there are none, or an empty
/// string.
std::string HeatProfiler::loadHelpers(Kernel &K, HeatShape &Shape) {
  auto &Clones = clonesOf<HeatClones>(K);
  const LockGuard Guard(HelperLock);
  std::string Why = loadHelper(K, GMPROF_HEAT_NOTE_KERNEL, Clones.Note);
  if (Why.empty())
    Why = loadHelper(K, GMPROF_HEAT_DIGEST_KERNEL, Clones.Digest);
  Shape.Note = Clones.Note;
  Shape.Digest = Clones.Digest;
  return Why;
}

std::unique_ptr<KernelClones> HeatProfiler::prepare(const Kernel &, const KernelModule &Module,
                                                    const profile::Descriptor &Desc) {
  auto Clones = std::make_unique<HeatClones>();
  Clones->NothingToProfile = !usesNotedMemory(Desc);
  std::string &Why = Clones->NeverProfiled;
  if ((Desc.Modes & GMPROF_MODE_HEAT) == 0) {
    Why = Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
    return Clones;
  }
  Module.recordAllVariables();
  if (Desc.Modes & GMPROF_MODE_HEAT_CLONE)
    Why = Module.findClone(GMPROF_HEAT_CLONE_SUFFIX, sizeof(GmprofHeatLaunch), Clones->Rest);
  if (Why.empty() && (Desc.Modes & GMPROF_MODE_HEAT_ALL))
    Why = Module.findClone(GMPROF_HEAT_ALL_CLONE_SUFFIX, sizeof(GmprofHeatLaunch), Clones->All);
  if (Why.empty()) {
    Clones->Forms =
        std::make_unique<HeatKernel>(Desc, Module.paramSizes(), Module.recordVariables(Desc));
    Clones->Sites = siteNumbers(Desc);
  } else {
    Clones->removeAll();
  }
  return Clones;
}

/// Returns what closed forms say of the launch; nothing if one does not hold.
std::optional<HeatCase> HeatProfiler::caseOf(Kernel &K, const LaunchInput &L,
                                             uint32_t DynamicShared, bool InGraph) {
  HeatKernel &Forms = *clonesOf<HeatClones>(K).Forms;
  return Forms.caseOf(K.Id, L, DynamicShared, S.options().HeatBlocks,
                      *S.memory().ranges(D.ordinal()), Forms.objects(L.Args, S.memory()), InGraph,
                      S.log());
}

LaunchPlan HeatProfiler::plan(const LaunchToPlan &L, std::string Why) {
  if (!Why.empty())
    return LaunchPlan::refused(std::move(Why));
  Kernel &K = L.K;
  auto &Clones = clonesOf<HeatClones>(K);
  LaunchPlan P;
  P.Mode = log::LaunchMode::Heat;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  const bool NotesRest = bool(Clones.Rest);
  std::optional<HeatCase> Case;
  if (Clones.Forms->hasForms() && L.Place != LaunchPlace::GraphBody) {
    P.Run = NotesRest ? &Clones.Rest : nullptr;
    if (!NotesRest || checkFit(P, L).empty())
      Case = caseOf(K, L.R.input(), P.DynamicShared, L.Place == LaunchPlace::Graph && !NotesRest);
    if (Clones.Rest.isAwaited())
      return LaunchPlan::refused(CloneTime::AwaitsClones);
  }
  if (Case && !NotesRest) {
    P.KnownContext = Case->Context;
    return P;
  }
  P.Run = Case || !Clones.Forms->hasForms() ? &Clones.Rest : &Clones.All;
  P.Why = checkFit(P, L);
  HeatShape Shape;
  if (P.Why.empty())
    P.Why = loadHelpers(K, Shape);
  if (!P.Why.empty())
    return LaunchPlan::refused(std::move(P.Why));
  static_cast<ContextShape &>(Shape) = {K.Id, L.Place};
  Shape.Ranges = S.memory().ranges(D.ordinal());
  Shape.Noted = S.options().HeatBlocks;
  Shape.Blocks = L.R.blocks();
  Shape.Threads = static_cast<uint32_t>(L.R.threads());
  Shape.Sites = Clones.Sites;
  Shape.FunctionPlaces = Clones.Forms->functionPlaces();
  Shape.Objects = Clones.Forms->objects(L.R.Args, S.memory());
  Shape.Case = std::move(Case);
  Shape.SharedBytes = sharedBytesOfBlock(K, P.DynamicShared);
  Shape.DynamicShared = P.DynamicShared;
  P.Counters = std::make_unique<HeatCounters>(Contexts, std::move(Shape));
  return P;
}

FormsContext HeatProfiler::contextOfOriginal(Kernel &K, const LaunchInput &L,
                                             uint32_t DynamicShared, bool InGraph) {
  if (!clonesOf<HeatClones>(K).onlyForms())
    return {};
  const std::optional<HeatCase> Case = caseOf(K, L, DynamicShared, InGraph);
  return {Case ? Case->Context : 0, log::LaunchMode::Heat};
}

} // namespace gmprof::host
