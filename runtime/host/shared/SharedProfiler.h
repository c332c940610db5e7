//===- SharedProfiler.h - The profile of shared memory ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SHARED_SHAREDPROFILER_H
#define GMPROF_HOST_SHARED_SHAREDPROFILER_H

#include "host/launch/LaunchProfiler.h"
#include "host/shared/SharedContexts.h"

namespace gmprof::host {

/// Counters in shared memory for a launch.
struct SharedCounterRoom {
  uint32_t Words, CounterOffset, CounterBytes;
  RangeShape Ranges;

  /// Returns the bytes of dynamic shared memory that the clone needs.
  uint32_t end() const { return CounterOffset + CounterBytes + Ranges.boundsBytes(); }
};
SharedCounterRoom sharedCounterRoom(uint32_t StaticShared, uint32_t DynamicShared,
                                    uint32_t CounterBits, uint32_t RangeVariables = 0);

/// Counts in shared memory behind the program's own where there is room, else in device memory.
class SharedProfiler : public LaunchProfiler {
public:
  SharedProfiler(Session &S, Device &D);

  LaunchContexts &contexts() override { return Contexts; }
  const char *cloneProfile() const override { return "shared"; }
  std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                        const profile::Descriptor &Desc) override;
  LaunchPlan plan(const LaunchToPlan &L, std::string Why) override;
  FormsContext contextOfOriginal(Kernel &K, const LaunchInput &L, uint32_t DynamicShared,
                                 bool InGraph) override;
  size_t graphKeyOffset() const override { return offsetof(GmprofSharedLaunch, sums); }
  uint32_t dynamicShared(const LaunchContext &C, uint32_t) const override {
    return SharedContexts::dynamicShared(C);
  }

private:
  bool planInSharedMemory(Clone &C, const LaunchToPlan &L, const SharedCounterRoom &Room,
                          LaunchPlan &P, LaunchShape &Shape) const;
  bool planClone(const LaunchToPlan &L, LaunchPlan &P, LaunchShape &Shape);

  SharedContexts Contexts;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SHARED_SHAREDPROFILER_H
