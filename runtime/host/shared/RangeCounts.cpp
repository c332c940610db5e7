//===- RangeCounts.cpp - Live ranges that a launch counts -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/shared/RangeCounts.h"
#include "host/record/Recorder.h"
#include <algorithm>
#include <vector>

namespace gmprof::host {

static_assert(sizeof(GmprofRangeCounts) % 8 == 0 && sizeof(GmprofRangeLog) % 8 == 0);

uint32_t RangeShape::stateBytes(uint32_t Words) const {
  constexpr uint32_t SpareCounterBytes = 16;
  return Variables == 0
             ? 0
             : SpareCounterBytes + Words * uint32_t(4) + Variables * GMPROF_RANGE_STATE_BYTES;
}

uint32_t RangeShape::boundsBytes() const { return Variables * GMPROF_RANGE_BOUNDS_BYTES; }

size_t RangeShape::bytes(uint32_t Replicas) const {
  return Variables == 0 ? 0
                        : sizeof(GmprofRangeCounts) * Replicas * Variables + sizeof(GmprofRangeLog);
}

void RangeShape::describe(GmprofSharedLaunch &To, uint64_t Address, uint32_t Replicas) const {
  if (Variables == 0)
    return;
  To.ranges = Address;
  To.rangeLog = Address + sizeof(GmprofRangeCounts) * Replicas * Variables;
  To.rangeOffset = Offset;
  To.rangeCount = Variables;
}

static void add(GmprofRangeCounts &To, const GmprofRangeCounts &From) {
  for (uint32_t B = 0; B < GMPROF_RANGE_BUCKETS; ++B)
    To.ranges[B] += From.ranges[B];
  To.capped += From.capped;
  To.accesses += From.accesses;
  To.max = std::max(To.max, From.max);
  To.minComplemented = std::max(To.minComplemented, From.minComplemented);
}

void RangeShape::emit(Recorder &Log, uint64_t Context, uint32_t Kernel, const std::byte *Counts,
                      uint32_t Replicas) const {
  if (Variables == 0)
    return;
  const auto *Parts = reinterpret_cast<const GmprofRangeCounts *>(Counts);
  std::vector<GmprofRangeCounts> Sums(Variables);
  for (uint32_t R = 0; R < Replicas; ++R)
    for (uint32_t V = 0; V < Variables; ++V)
      add(Sums[V], Parts[size_t(R) * Variables + V]);
  const auto &Single =
      *reinterpret_cast<const GmprofRangeLog *>(Parts + size_t(Replicas) * Variables);

  log::LiveRangesRecord Record = {};
  Record.context = Context;
  Record.kernel = Kernel;
  Record.variables = Variables;
  Record.records = std::min(Single.count, GMPROF_RANGE_RECORDS);
  Record.recordsSeen = Single.count;
  Log.profileRecord(log::RecordKind::LiveRanges, Record, std::span(Sums),
                    std::span(Single.records, Record.records));
}

} // namespace gmprof::host
