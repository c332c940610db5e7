//===- SharedContexts.h - Counters of shared memory -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch contexts (LaunchContexts.h) of the shared-memory profile: layout, sums,
// capped, totals (gmprof/abi.h), in several replicas. Their counts become a record
// each.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SHARED_SHAREDCONTEXTS_H
#define GMPROF_HOST_SHARED_SHAREDCONTEXTS_H

#include "gmprof/abi.h"
#include "host/launch/LaunchContexts.h"
#include "host/shared/RangeCounts.h"

namespace gmprof::host {

/// Launches of one shape can share a context.
struct LaunchShape : ContextShape {
  uint32_t Words = 0;
  uint32_t VariableCount = 0;
  uint32_t DynamicShared = 0; ///< the program's own, bytes
  uint32_t CounterOffset = 0; ///< as in GmprofSharedLaunch
  uint32_t CounterBytes = 0;
  bool DeviceCounters = false; ///< counted in device memory
  RangeShape Ranges;
  uint64_t Case = 0;        ///< whose closed forms are not counted (SharedKernel.h); 0: none
  unsigned BlockSample = 1; ///< each so many-th block counts
  uint64_t BodyBlocks = 0;  ///< of a launch in a body: that count

  bool operator==(const LaunchShape &) const = default;
};

struct SharedContext : LaunchContext {
  LaunchShape Shape;
  uint32_t Replicas = 1;

  size_t sumsOffset() const;
  size_t cappedOffset() const;
  size_t totalsOffset() const;
  size_t rangesOffset() const;
  size_t bytes() const;
};

struct ReplicaLimits {
  size_t Bytes = 512 << 10; ///< of the counters of one context
  uint32_t Replicas = 32;
};

class SharedContexts : public LaunchContexts {
public:
  SharedContexts(Device &D, Recorder &Log, ContextLimits Limits = {})
      : LaunchContexts(D, Log, Limits) {}

  /// Returns a context for a launch of so many blocks; see LaunchContexts::acquire.
  LaunchContext *acquire(const LaunchShape &Shape, uint64_t Blocks, CUstream Stream, bool Capturing,
                         std::string &Why);
  GmprofSharedLaunch parameter(const LaunchContext &C) const;
  /// Returns whether launches of this shape count there.
  static bool counts(const LaunchContext &C, const LaunchShape &Shape) {
    return static_cast<const SharedContext &>(C).Shape == Shape;
  }
  /// Returns the dynamic shared memory that the program asked for, in bytes.
  static uint32_t dynamicShared(const LaunchContext &C) {
    return static_cast<const SharedContext &>(C).Shape.DynamicShared;
  }

private:
  struct Wanted : LaunchShape {
    uint64_t Blocks = 0;
  };

  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &C, const ContextShape &Shape) const override;
  void release(LaunchContext &C) override { D.memory().release(C.Memory); }
  uint64_t launchesIn(const LaunchContext &C, std::span<const std::byte> Counts) const override;
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SHARED_SHAREDCONTEXTS_H
