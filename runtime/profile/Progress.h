//===- Progress.h - How far long work has come ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries say what they are doing; the commands show it (cli/StatusLine.h), and in a profiled
// program it goes nowhere.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROGRESS_H
#define GMPROF_PROFILE_PROGRESS_H

#include <cstdint>
#include <string>

namespace gmprof {

/// Of: 0 if it is not known how much there is to do.
using ProgressReceiver = void (*)(const std::string &Doing, uint64_t Done, uint64_t Of);

/// Of what this thread does; null: none. Others that it starts work for what it says.
void setProgressReceiver(ProgressReceiver To);
ProgressReceiver progressReceiver();

/// "reading events.gmlog".
void progress(const std::string &Doing, uint64_t Done = 0, uint64_t Of = 0);

} // namespace gmprof

#endif // GMPROF_PROFILE_PROGRESS_H
