//===- KeptMemory.h - Replaces cudaFree by memory reuse ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cudaFree that need not wait need not be called either: the program can keep the memory and
// reuse it for the next allocation. This saves the time of cudaMalloc and cudaFree, which is often
// longer than the wait. Reuse needs no wait if all work is in one stream.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_KEPTMEMORY_H
#define GMPROF_ANALYSIS_SYNC_KEPTMEMORY_H

#include "analysis/sync/TimelineReplay.h"

namespace gmprof::analysis {

/// Returns true if all operations are in one stream.
bool oneStream(const SyncTrace &T);

/// Removes the cudaFree calls that are marked as not waiting, and cudaMalloc calls of the same size
/// as such an earlier call would have released. Changes has one entry per call.
void keepMemory(const profile::Profile &P, const SyncTrace &T, std::vector<ReplayChange> &Changes);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_KEPTMEMORY_H
