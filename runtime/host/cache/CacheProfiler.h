//===- CacheProfiler.h - The profile cache ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_CACHEPROFILER_H
#define GMPROF_HOST_CACHE_CACHEPROFILER_H

#include "host/cache/BlockPlacements.h"
#include "host/cache/CacheContexts.h"
#include "host/launch/LaunchProfiler.h"

namespace gmprof::host {

/// Traces the requests of launches.
class CacheProfiler : public LaunchProfiler {
public:
  CacheProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  const char *cloneProfile() const override { return "cache"; }
  bool needsFunctions() const override { return true; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  /// Returns 0, which nobody reads: no node of a graph has the clone.
  size_t graphKeyOffset() const override { return 0; }

protected:
  void finishRecords() override { Contexts.finish(); }

private:
  CacheContexts Contexts;
  std::optional<BlockPlacements> Placements; ///< if the option names a file of them
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_CACHEPROFILER_H
