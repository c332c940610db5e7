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

/// Decodes records of objects and call paths into a profile. Each function returns false if the
/// record is damaged, and throws if JSON lacks a field or has another type.
class ObjectRecords {
public:
  explicit ObjectRecords(profile::Profile &P) : P(P) {}

  /// Decodes a record; returns false if it is damaged. `Record` is the record's position in the
  /// log.
  bool object(Payload B, uint64_t Record);
  bool release(Payload B, uint64_t Record);
  bool name(Payload B);
  bool callPath(Payload B);
  bool pythonCode(Payload B);
  bool pythonStack(Payload B);
  bool pythonPath(Payload B);
  bool image(Payload B);

  /// Returns the path's index, or None.
  uint32_t findPath(uint32_t Id) const;

private:
  profile::Profile &P;
  IdIndex ObjectById, PathById, CodeById, StackById;
  std::vector<profile::PythonFrame> Codes; ///< without lines
};

} // namespace gmprof

#endif // GMPROF_PROFILE_OBJECTRECORDS_H
