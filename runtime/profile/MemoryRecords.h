//===- MemoryRecords.h - Decodes readings of memory -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MEMORYRECORDS_H
#define GMPROF_PROFILE_MEMORYRECORDS_H

#include "profile/ObjectRecords.h"

namespace gmprof {

/// Decodes what the driver says of a device's memory, and failed allocations. Each function returns
/// false if the record is damaged. `Record` is the record's position in the log.
class MemoryRecords {
public:
  MemoryRecords(profile::Profile &P, const ObjectRecords &Objects) : P(P), Objects(Objects) {}

  bool reading(Payload B, uint64_t Record);
  bool failure(Payload B, uint64_t Record);

private:
  profile::Profile &P;
  const ObjectRecords &Objects;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_MEMORYRECORDS_H
