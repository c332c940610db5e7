//===- ObjectsProfiler.h - The profile objects ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HITS_OBJECTSPROFILER_H
#define GMPROF_HOST_HITS_OBJECTSPROFILER_H

#include "host/hits/HitContexts.h"
#include "host/launch/LaunchProfiler.h"

namespace gmprof::host {

/// Records which objects a launch accesses. A clone runs where that is not known before the launch.
class ObjectsProfiler : public LaunchProfiler {
public:
  ObjectsProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  /// Returns a name for sync, too, which launches no clones: their descriptor says what kernels
  /// access.
  const char *cloneProfile() const override { return "objects"; }
  bool recordsEveryLaunch() const override { return true; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  size_t graphKeyOffset() const override { return offsetof(GmprofObjectsLaunch, hits); }
  uint64_t logContext(const LaunchContext &) const override { return 0; }

protected:
  void finishRecords() override { Contexts.finish(); }

private:
  bool runsClones() const;

  HitContexts Contexts;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HITS_OBJECTSPROFILER_H
