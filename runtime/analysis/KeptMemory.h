//===- KeptMemory.h - A run that keeps its memory ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cudaFree that need not wait need not be called either: the program can keep the memory, and
// use it in the place of what it allocates next. That saves what cudaMalloc and cudaFree take
// themselves, which is often more than the wait. Memory can be used again without waiting if
// all work is in one stream.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_KEPTMEMORY_H
#define GMPROF_ANALYSIS_KEPTMEMORY_H

#include "analysis/TimelineReplay.h"

namespace gmprof::analysis {

/// Whether all operations are in one stream.
bool oneStream(const SyncTrace &T);

/// Leaves out the calls of cudaFree that are not to wait, and those of cudaMalloc that ask for
/// as many bytes as such a call would have released before. Changes: per call.
void keepMemory(const profile::Profile &P, const SyncTrace &T, std::vector<ReplayChange> &Changes);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_KEPTMEMORY_H
