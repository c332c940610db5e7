//===- Global.h - Records of the profile global -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_GLOBAL_H
#define GMPROF_PROFILE_LOG_GLOBAL_H

#include <cstdint>

namespace gmprof::log {

/// Properties shared by launches of a kernel whose global memory accesses agree as far as closed
/// forms tell (GmprofFormDesc). LaunchRecord::context refers to it; it precedes these launches in
/// the log. Arrays follow in this order: uint64_t objects[variableCount], for each variable of the
/// descriptor the ObjectRecord::id that its pointer points into (0: none or not a root); int64_t
/// offsets[variableCount], the pointer's offset in that object in bytes; int64_t
/// values[valueCount], the kernel's parameters (sign-extended integers; 0 for others).
struct GlobalContextRecord {
  uint64_t context;      ///< numbered together with SharedCountsRecord::context
  uint64_t counterBytes; ///< device memory for the counters of one such launch
  uint64_t objectBytes;  ///< total size of the counted objects
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t blockSample;
  uint32_t variableCount;
  uint32_t valueCount;
  uint32_t closedForms; ///< 1: the closed forms hold
  uint32_t reserved;
};

/// Counts of one kind of access by one kernel to the elements of one object, over any number of
/// launches or over those of one context; records of the same elements add up. The payload is
/// zstd-compressed: sums[elements], each of 1, 2, 4 or 8 bytes as the frame's content size implies,
/// then, if thresholdReached, uint32_t capped[elements] (launches in which the element's counter
/// reached the threshold).
struct GlobalCountsRecord {
  uint64_t object;
  uint64_t firstElement, elements;
  uint32_t kernel;
  uint32_t counterKind; ///< GmprofCounterKind
  uint32_t elementShift;
  uint32_t blockSample;
  uint32_t threshold; ///< 0: none
  uint32_t thresholdReached;
  uint64_t launches; ///< number of counted launches
  uint64_t context;  ///< GlobalContextRecord::context of all counted launches; 0: launches of any
                     ///< contexts that have no records of their own
};

/// Totals of a context's launches (GmprofGlobalTotals); records of one context add up. If launches
/// of several contexts share counters, one context has the blocks, threads and outside accesses of
/// all.
struct GlobalTotalsRecord {
  uint64_t context;
  uint64_t launches;
  uint64_t blocks, threads, outside;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_GLOBAL_H
