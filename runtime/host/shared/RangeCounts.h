//===- RangeCounts.h - Live ranges that a launch counts ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a launch context (SharedContexts.h) that holds live ranges: for each
// replica and variable a GmprofRangeCounts, then a GmprofRangeLog (gmprof/abi.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SHARED_RANGECOUNTS_H
#define GMPROF_HOST_SHARED_RANGECOUNTS_H

#include "gmprof/abi.h"
#include <cstddef>
#include <cstdint>

namespace gmprof::host {

class Recorder;

/// Room for the live ranges of a launch.
struct RangeShape {
  uint32_t Variables = 0; ///< 0: none are counted
  uint32_t Offset = 0;    ///< as GmprofSharedLaunch::rangeOffset

  bool operator==(const RangeShape &) const = default;

  /// Return the bytes in shared memory: between the spare counter and the control state, and
  /// behind.
  uint32_t stateBytes(uint32_t Words) const;
  uint32_t boundsBytes() const;
  /// Returns the bytes in device memory, a multiple of 8.
  size_t bytes(uint32_t Replicas) const;

  void describe(GmprofSharedLaunch &To, uint64_t Address, uint32_t Replicas) const;
  /// Records what the launches of a context counted.
  void emit(Recorder &Log, uint64_t Context, uint32_t Kernel, const std::byte *Counts,
            uint32_t Replicas) const;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SHARED_RANGECOUNTS_H
