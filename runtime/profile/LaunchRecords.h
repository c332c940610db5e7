//===- LaunchRecords.h - Records that add to launches -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LAUNCHRECORDS_H
#define GMPROF_PROFILE_LAUNCHRECORDS_H

#include "profile/Payload.h"
#include "profile/Profile.h"
#include <unordered_map>
#include <vector>

namespace gmprof {

/// Decodes records of few launches: further contexts and execution times. They are kept until the
/// whole log is read, because an index of all launches by id would cost more than they do.
class LaunchRecords {
public:
  explicit LaunchRecords(profile::Profile &P) : P(P) {}

  /// Each returns false if the record is damaged.
  bool forms(Payload B);
  bool time(Payload B);
  /// Adds the records to the profile, after its last launch. Returns the number of damaged ones:
  /// their launch is unknown, already counts in that profile, or is a graph node that has a time.
  uint64_t addToLaunches();

private:
  bool add(uint32_t Index, const profile::Launch &L, const log::LaunchFormsRecord &R);

  profile::Profile &P;
  /// By LaunchRecord::id.
  std::unordered_map<uint64_t, std::vector<log::LaunchFormsRecord>> Forms;
  std::unordered_map<uint64_t, uint64_t> Times;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_LAUNCHRECORDS_H
