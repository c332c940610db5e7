//===- LaunchProfilers.h - The profiles of a run on one device --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch can run one clone only. In a run of several profiles, those that need a clone take turns
// in the sampled launches of each kernel; closed forms of the others count in the same launch. The
// profile objects, whose clones cost next to nothing, records all other launches.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHPROFILERS_H
#define GMPROF_HOST_LAUNCH_LAUNCHPROFILERS_H

#include "host/launch/LaunchProfiler.h"
#include "host/launch/LaunchTimes.h"

namespace gmprof::host {

using MakeProfiler = std::unique_ptr<LaunchProfiler>(Session &S, Device &D);

// The folder of each profiler defines its function.
#define GMPROF_PROFILE(name, Choice, Recorder, ...) MakeProfiler make##Recorder##Profiler;
#include "gmprof/profiles.def"

class LaunchProfilers {
public:
  LaunchProfilers(Session &S, Device &D);

  /// Returns the number of profiles that record launches.
  size_t size() const { return All.size(); }
  /// Returns true if a profile needs the descriptors of the device functions that kernels call.
  bool needFunctions() const;
  /// Returns the pass's names of the clones that the profiles run.
  std::vector<std::string_view> cloneProfiles() const;
  /// Calls LaunchProfiler::prepare of each profile, and stores the clones in K.ByProfile. Returns
  /// why no profile records the kernel, or an empty string.
  std::string prepare(Kernel &K, const KernelModule &Module, const profile::Descriptor &Desc);

  /// Decides how to run a launch. Outside: why the launch is not in the sample; empty if it is.
  /// Why: why no clone can run; empty if one can.
  LaunchPlan plan(const LaunchToPlan &L, const std::string &Outside, std::string Why);

  LaunchProfiler &at(size_t Index) { return *All[Index]; }
  /// Calls Visit for each context in which a launch of the program's own kernel, a node of a graph,
  /// counts by closed forms alone.
  template <typename Visitor>
  void contextsOfOriginal(Kernel &K, const LaunchInput &L, uint32_t DynamicShared, Visitor Visit) {
    for (const std::unique_ptr<LaunchProfiler> &Each : All)
      if (isUsable(*Each, K))
        if (const FormsContext C = Each->contextOfOriginal(K, L, DynamicShared, /*InGraph=*/true);
            C.Context != 0)
          Visit(*Each, C.Context);
  }

  /// Returns the times of launches; null if launches are not timed.
  LaunchTimes *times() { return Times ? &*Times : nullptr; }

  // Each profile's contexts, see LaunchContexts.h.
  void poll();
  void finishEnded();
  void streamDestroyed(CUstream Stream);
  void beforeGraphLaunch(CUstream Stream, bool Capturing);
  void afterGraphLaunch();

  // See LaunchProfiler.h.
  void objectReleased(uint64_t Object);
  void moduleUnloading();
  bool giveBackMemory();
  size_t peakBytes() const;
  void finish();

private:
  static bool isUsable(const LaunchProfiler &P, const Kernel &K) {
    return !K.ByProfile.empty() && K.ByProfile[P.index()]->NeverProfiled.empty();
  }
  LaunchPlan planSeveral(const LaunchToPlan &L, const std::string &Outside, std::string Why);
  LaunchPlan planTurn(const LaunchToPlan &L, std::vector<FormsContext> &Forms);
  std::vector<LaunchProfiler *> inTurn(const Kernel &K) const;
  LaunchProfiler *recorderOfAll(const Kernel &K) const;

  Recorder &Log;
  std::vector<std::unique_ptr<LaunchProfiler>> All;
  std::optional<LaunchTimes> Times;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHPROFILERS_H
