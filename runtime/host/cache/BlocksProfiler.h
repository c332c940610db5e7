//===- BlocksProfiler.h - Records where and when blocks run -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profile cache in a run that prepares the one that traces: K__gm_blocks takes the place of
// each launch that the other run traces.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_BLOCKSPROFILER_H
#define GMPROF_HOST_CACHE_BLOCKSPROFILER_H

#include "host/cache/BlockPlacements.h"
#include "host/launch/LaunchContexts.h"
#include "host/launch/LaunchProfiler.h"

namespace gmprof::host {

/// Returns how both runs name a launch.
PlacedLaunch placedLaunch(const Kernel &K, const LaunchRequest &R, uint64_t Launch);

struct BlocksShape : ContextShape {
  PlacedLaunch Launch;
  uint64_t Blocks = 0;
};

/// Launch contexts with a GmprofPlacedBlock for each block.
class BlocksContexts : public LaunchContexts {
public:
  BlocksContexts(Device &D, Recorder &Log);

  LaunchContext *acquire(const BlocksShape &Shape, CUstream Stream, std::string &Why) {
    return LaunchContexts::acquire(Shape, Stream, /*Capturing=*/false, Why);
  }

private:
  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &, const ContextShape &) const override { return false; }
  void release(LaunchContext &C) override { D.memory().release(C.Memory); }
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;

  Mutex FileLock;
};

class BlocksProfiler : public LaunchProfiler {
public:
  BlocksProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  const char *cloneProfile() const override { return "cache"; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  size_t graphKeyOffset() const override { return 0; }

private:
  BlocksContexts Contexts;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_BLOCKSPROFILER_H
