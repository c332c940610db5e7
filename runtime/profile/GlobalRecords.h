//===- GlobalRecords.h - Decodes global memory counts -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_GLOBALRECORDS_H
#define GMPROF_PROFILE_GLOBALRECORDS_H

#include "profile/Payload.h"
#include "profile/Profile.h"
#include <map>
#include <unordered_map>

namespace gmprof {

/// Decodes records of global memory counts into a profile. Each function returns false if the
/// record is damaged.
class GlobalRecords {
public:
  /// Kernels maps kernel ids of the log to indices of P.Kernels.
  GlobalRecords(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels)
      : P(P), Kernels(Kernels) {}

  bool context(Payload B);
  bool counts(Payload B);
  bool totals(Payload B);

private:
  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  std::unordered_map<uint64_t, size_t> ContextById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_GLOBALRECORDS_H
