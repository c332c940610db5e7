//===- trace.h - How much of a launch is traced -----------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the hooks that record requests (runtime/device/Trace.cu) and the host runtime share beyond
// abi.h, and nothing else sees.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TRACE_H
#define GMPROF_TRACE_H

#include "gmprof/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is recorded is counted in records of the smallest size; addresses behind one count as more,
/// and a chunk as GMPROF_TRACE_LEAST_OF_CHUNK at least: it takes as long, however little is in it.
/// Blocks begin to be recorded as long as the launch has not recorded the
/// GMPROF_TRACE_BEGIN_PART-th part of `most`, nor all launches together `mostOfRun`; or less than
/// `least` of this one is. Blocks that have begun are recorded up to `most`.
#define GMPROF_TRACE_BEGIN_PART 4u
#define GMPROF_TRACE_LEAST_OF_CHUNK 32u
struct GmprofTraceLimits {
  gmprof_u64 least, most, mostOfRun;
  gmprof_u64 ofRun; ///< address of a gmprof_u64 in device memory: recorded by all launches
};

/// Zero at first.
struct GmprofTraceProgress {
  gmprof_u64 recorded;
  gmprof_u64 begun;          ///< see GMPROF_TRACE_CLOSED
  gmprof_u64 blocks;         ///< that are recorded
  gmprof_u64 blocksBeyond;   ///< that began after the limit, and are not
  gmprof_u64 requestsBeyond; ///< of recorded blocks, that were made after it
};
/// `begun` is one more than the largest number of a block that is recorded. With this bit no
/// further one is: so all warps of a block find the same there.
#define GMPROF_TRACE_CLOSED (1ull << 63)

/// What GmprofTraceLaunch::context points to.
struct GmprofLimitedTrace {
  struct GmprofTraceContext context;
  struct GmprofTraceLimits limits;
  struct GmprofTraceProgress progress;
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GMPROF_TRACE_H
