//===- PageTimeline.h - Timelines for the web page --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns (PageColumns.h) of event log data that the summary does not contain. Times are in ns
// since the start of their run.
//
//   memory   One row per object: allocation time, lifetime, begin and duration of its use (plus
//            one; 0: unused), bytes, name, kind, device, index in objects[] (plus one; 0: not in
//            objects[]), place of the allocation (plus one; 0: unknown, or the bytes count
//            elsewhere, as those of PyTorch's slabs). Then for each device the bytes in use at each
//            change, and the bytes of each owner at each change.
//   calls    One row per call of a GPU API: begin, duration, kind, name, lane, place. For a
//            synchronisation profile, these are the calls of the run named trace, with the time
//            spent waiting for the GPU, site and problem, and the activities of the GPU. For other
//            profiles, also the accessed objects.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGE_PAGETIMELINE_H
#define GMPROF_REPORT_PAGE_PAGETIMELINE_H

#include "analysis/sync/SyncProblems.h"
#include "profile/ApiTrace.h"
#include "report/model/Summary.h"
#include <string>

namespace gmprof {

std::string pageMemory(const profile::Profile &P, const profile::ApiTrace &T,
                       const summary::Summary &S);

std::string pageCalls(const profile::Profile &P, const profile::ApiTrace &T);

std::string pageSyncCalls(const analysis::SyncRuns &Runs);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGE_PAGETIMELINE_H
