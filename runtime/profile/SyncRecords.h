//===- SyncRecords.h - Decodes synchronization records ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SYNCRECORDS_H
#define GMPROF_PROFILE_SYNCRECORDS_H

#include "profile/ObjectRecords.h"
#include "profile/Payload.h"
#include "profile/Profile.h"

namespace gmprof {

/// Decodes records of synchronization profiles into a profile. Each function returns false if the
/// record is damaged.
class SyncRecords {
public:
  SyncRecords(profile::Profile &P, const ObjectRecords &Objects) : P(P), Objects(Objects) {}

  bool apiCall(Payload B);
  bool gpuTime(Payload B);
  bool hostUse(Payload B);
  bool content(Payload B);
  bool migration(Payload B);

private:
  profile::Profile &P;
  const ObjectRecords &Objects;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SYNCRECORDS_H
