//===- ApiRecords.h - Decodes copies, orders, access sets -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_APIRECORDS_H
#define GMPROF_PROFILE_APIRECORDS_H

#include "profile/ObjectRecords.h"
#include "profile/Payload.h"
#include "profile/Profile.h"
#include <unordered_map>
#include <unordered_set>

namespace gmprof {

/// Decodes records of API calls, graphs and access sets into a profile. Each function returns false
/// if the record is damaged.
class ApiRecords {
public:
  ApiRecords(profile::Profile &P, const ObjectRecords &Objects) : P(P), Objects(Objects) {}

  /// Decodes a record; returns false if it is damaged. `Record` is the record's position in the
  /// log.
  bool copy(Payload B, uint64_t Record);
  bool order(Payload B, uint64_t Record);
  bool region(Payload B);
  bool graphNode(Payload B);
  bool graphNodes(Payload B);
  void graphLaunch(const log::GraphLaunchRecord &R, uint64_t Record);
  bool accessSet(Payload B);
  bool launchAccesses(Payload B);
  /// Decodes the access fields of the record from which the profile's last launch was made.
  void launch(const log::LaunchRecord &R);

private:
  bool takeCopy(Payload &B, profile::Copy &To) const;

  profile::Profile &P;
  const ObjectRecords &Objects;
  IdIndex SetById;
  /// Launches in graphs or without an exact access set, by id.
  std::unordered_map<uint64_t, uint32_t> LaunchById;
  /// Launches whose LaunchAccessesRecord is still missing.
  std::unordered_set<uint64_t> WithoutHits;
  std::unordered_map<uint64_t, uint32_t> NodeById, GraphById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_APIRECORDS_H
