//===- KernelPatterns.h - Patterns of a kernel's memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of shared memory, global memory and caches. Their functions take the results that
// they need, and have headers of their own if they have options. A pattern without options is
// declared here.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_KERNELPATTERNS_H
#define GMPROF_ANALYSIS_KERNELPATTERNS_H

#include "analysis/Analyze.h"
#include "analysis/global/AtomicContention.h"
#include "analysis/shared/NoReuseInLiveRange.h"
#include "analysis/shared/SharedMemoryCandidate.h"
#include "analysis/shared/UnderusedSharedMemory.h"

namespace gmprof::analysis {

/// Finds all objects that match a pattern. The findings have sources and fingerprints.
using KernelPattern = std::vector<Finding> (*)(const profile::Profile &, const Analyses &);

inline constexpr KernelPattern KernelPatterns[] = {
    [](const profile::Profile &P, const Analyses &A) { return underusedSharedMemory(P, A.Shared); },
    [](const profile::Profile &P, const Analyses &A) { return noReuseInLiveRange(P, A.Shared); },
    [](const profile::Profile &P, const Analyses &A) {
      return sharedMemoryCandidates(P, A.Global, A.Shared);
    },
    [](const profile::Profile &P, const Analyses &A) { return atomicContention(P, A.Global); },
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_KERNELPATTERNS_H
