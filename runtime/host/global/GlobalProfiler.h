//===- GlobalProfiler.h - The profiles global and elements ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_GLOBAL_GLOBALPROFILER_H
#define GMPROF_HOST_GLOBAL_GLOBALPROFILER_H

#include "host/global/GlobalContexts.h"
#include "host/launch/LaunchProfiler.h"

namespace gmprof::host {

/// Counts accesses to each element of global memory. Where closed forms say all, the program's own
/// kernel runs.
class GlobalProfiler : public LaunchProfiler {
public:
  GlobalProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  const char *cloneProfile() const override { return "global"; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  FormsContext contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t DynamicShared,
                                 bool InGraph) override;
  size_t graphKeyOffset() const override { return offsetof(GmprofGlobalLaunch, totals); }
  uint64_t logContext(const LaunchContext &C) const override { return GlobalContexts::logId(C); }
  void objectReleased(uint64_t Object) override { Contexts.objectReleased(Object); }
  bool giveBackMemory() override { return Contexts.giveBackMemory(); }
  size_t peakBytes() const override { return Contexts.peakBytes(); }

protected:
  void finishRecords() override { Contexts.finish(); }

private:
  std::shared_ptr<const GlobalCase> caseOf(const LaunchToPlan &L, unsigned BlockSample);

  GlobalContexts Contexts;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_GLOBAL_GLOBALPROFILER_H
