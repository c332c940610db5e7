//===- Progress.h - Reports progress of long work ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries report progress; the commands display it (cli/StatusLine.h). In a profiled program
// nothing receives it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROGRESS_H
#define GMPROF_PROFILE_PROGRESS_H

#include <cstdint>
#include <string>

namespace gmprof {

/// `Of` is the total amount, or 0 if it is unknown.
using ProgressReceiver = void (*)(const std::string &Doing, uint64_t Done, uint64_t Of);

/// Sets the receiver of this thread's progress; null: none. Worker threads do not report.
void setProgressReceiver(ProgressReceiver To);
ProgressReceiver progressReceiver();

/// Reports progress; `Doing` is a participle with its object: "reading events.gmlog".
void progress(const std::string &Doing, uint64_t Done = 0, uint64_t Of = 0);

} // namespace gmprof

#endif // GMPROF_PROFILE_PROGRESS_H
