//===- ObjectRecords.h - Decodes objects and call paths ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_OBJECTRECORDS_H
#define GMPROF_PROFILE_OBJECTRECORDS_H

#include "profile/IdIndex.h"
#include "profile/Payload.h"
#include "profile/Profile.h"

namespace gmprof {

/// Puts what the records say into a profile. Each function returns false when the
/// record is damaged. JSON of another shape throws.
class ObjectRecords {
public:
  explicit ObjectRecords(profile::Profile &P) : P(P) {}

  /// Record: its position in the log.
  bool object(Payload B, uint64_t Record);
  bool release(Payload B, uint64_t Record);
  bool name(Payload B);
  bool callPath(Payload B);
  bool image(Payload B);

  /// The path's index; None if there is none.
  uint32_t findPath(uint32_t Id) const;

private:
  profile::Profile &P;
  IdIndex ObjectById, PathById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_OBJECTRECORDS_H
