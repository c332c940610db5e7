//===- SyncRecords.h - Decodes what synchronisation is judged by -*- C++ -*-===//
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

/// Puts what the records say into a profile. Each function returns false when the
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
