//===- ProfileBuilder.h - From an event log to a Profile --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a Profile from an event log. Equal kernels that were loaded several times (one module per
// device or translation unit) become one, and counts of one context are added up. A damaged record
// becomes a Gap; only a log without a Run record is an error.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILEBUILDER_H
#define GMPROF_PROFILE_PROFILEBUILDER_H

#include "profile/EventLogReader.h"
#include "profile/Profile.h"
#include "profile/Result.h"
#include <string>

namespace gmprof {

/// Builds the profile of a log; `Path` is used in messages.
Result<profile::Profile> buildProfile(EventLogReader &Log, const std::string &Path);

/// Builds the profile of the log in a file.
Result<profile::Profile> readProfile(const std::string &Path);

} // namespace gmprof

#endif // GMPROF_PROFILE_PROFILEBUILDER_H
