//===- ApiRecords.h - Decodes copies, orders and access sets ----*- C++ -*-===//
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

/// Puts what the records say into a profile. Each function returns false when the
/// record is damaged.
class ApiRecords {
public:
  ApiRecords(profile::Profile &P, const ObjectRecords &Objects) : P(P), Objects(Objects) {}

  /// Record: its position in the log.
  bool copy(Payload B, uint64_t Record);
  bool order(Payload B, uint64_t Record);
  bool region(Payload B);
  bool graphNode(Payload B);
  bool graphNodes(Payload B);
  void graphLaunch(const log::GraphLaunchRecord &R, uint64_t Record);
  bool accessSet(Payload B);
  bool launchAccesses(Payload B);
  /// The last of the profile's launches is the record's.
  void launch(const log::LaunchRecord &R);

private:
  bool takeCopy(Payload &B, profile::Copy &To) const;

  profile::Profile &P;
  const ObjectRecords &Objects;
  IdIndex SetById;
  std::unordered_map<uint64_t, uint32_t> LaunchById; ///< those without an exact set, or in graphs
  std::unordered_set<uint64_t> WithoutHits;          ///< those that nothing was read of yet
  std::unordered_map<uint64_t, uint32_t> NodeById, GraphById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_APIRECORDS_H
