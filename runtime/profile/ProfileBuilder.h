//===- ProfileBuilder.h - From an event log to a Profile --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that were loaded several times (one module per device, one per
// translation unit) and are the same in everything become one; counts of one
// context are added up. A damaged record is left out and becomes a Gap; only a
// log that does not even say what run it is of is an error.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILEBUILDER_H
#define GMPROF_PROFILE_PROFILEBUILDER_H

#include "profile/EventLogReader.h"
#include "profile/Profile.h"
#include "profile/Result.h"
#include <string>

namespace gmprof {

/// Path is for messages.
Result<profile::Profile> buildProfile(EventLogReader &Log, const std::string &Path);

/// Of the log in that file.
Result<profile::Profile> readProfile(const std::string &Path);

} // namespace gmprof

#endif // GMPROF_PROFILE_PROFILEBUILDER_H
