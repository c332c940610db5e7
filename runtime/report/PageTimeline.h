//===- PageTimeline.h - What happened when, for the web page ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns (PageColumns.h) of what the event log has and the summary has not. Times are in
// nanoseconds since the start of the run that they are of.
//
//   memory   a row for each object: when it comes, how long it stays, from when and for how long
//            it is used (one more than that; 0: it is not), bytes, name, kind, device, its place
//            in objects[] (one more; 0: left out there). Then for each device the bytes in use,
//            wherever they change.
//   calls    a row for each call of a GPU API: begin, length, kind, name, lane, place. Of a profile
//            of synchronisation, whose run named trace they are of, also the part that the GPU was
//            awaited in, the site, and the problem; and what the GPU did when. Of others, the
//            objects that they access.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGETIMELINE_H
#define GMPROF_REPORT_PAGETIMELINE_H

#include "analysis/SyncProblems.h"
#include "profile/ApiTrace.h"
#include "report/Summary.h"
#include <string>

namespace gmprof {

std::string pageMemory(const profile::Profile &P, const profile::ApiTrace &T,
                       const summary::Summary &S);

std::string pageCalls(const profile::Profile &P, const profile::ApiTrace &T);

std::string pageSyncCalls(const analysis::SyncRuns &Runs);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGETIMELINE_H
