//===- SharedRecords.h - Records of the profile shared ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the records of the profile shared. Functions return false if a record is damaged.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SHAREDRECORDS_H
#define GMPROF_PROFILE_SHAREDRECORDS_H

#include "profile/SharedCases.h"
#include <map>
#include <unordered_map>

namespace gmprof {

class SharedRecords {
public:
  /// Kernels maps kernel ids of the log to indices of P.Kernels. Replays: launches in bodies of
  /// conditional graph nodes, by context.
  SharedRecords(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels,
                SharedCases &Cases, std::map<uint64_t, uint64_t> &Replays)
      : P(P), Kernels(Kernels), Cases(Cases), Replays(Replays) {}

  bool counts(Payload B);
  bool liveRanges(Payload B);

private:
  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  SharedCases &Cases;
  std::map<uint64_t, uint64_t> &Replays;
  std::unordered_map<uint64_t, size_t> ContextById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SHAREDRECORDS_H
