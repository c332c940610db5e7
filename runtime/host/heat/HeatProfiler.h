//===- HeatProfiler.h - The profile heat ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HEAT_HEATPROFILER_H
#define GMPROF_HOST_HEAT_HEATPROFILER_H

#include "host/heat/HeatContexts.h"
#include "host/launch/LaunchProfiler.h"
#include "profile/Mutex.h"

namespace gmprof::host {

/// Records which warps access which words. Where closed forms say all, the program's own kernel
/// runs.
class HeatProfiler : public LaunchProfiler {
public:
  HeatProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  const char *cloneProfile() const override { return "heat"; }
  bool needsFunctions() const override { return true; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  FormsContext contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t DynamicShared,
                                 bool InGraph) override;
  size_t graphKeyOffset() const override { return offsetof(GmprofHeatLaunch, context); }
  /// Contexts launch kernels of the module once the program's kernel has ended.
  void moduleUnloading() override { Contexts.finishEnded(/*All=*/true); }
  bool giveBackMemory() override { return Contexts.giveBackMemory(); }
  size_t peakBytes() const override { return Contexts.peakBytes(); }

private:
  std::string loadHelper(Kernel &K, const char *Name, CUfunction &To) const;
  std::string loadHelpers(Kernel &K, HeatShape &Shape);
  std::optional<HeatCase> caseOf(Kernel &K, const LaunchInput &L, uint32_t DynamicShared,
                                 bool InGraph);

  HeatContexts Contexts;
  Mutex HelperLock; ///< protects HeatClones::Note and HeatClones::Digest
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HEAT_HEATPROFILER_H
