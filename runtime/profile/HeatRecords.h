//===- HeatRecords.h - Heat maps in the event log ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATRECORDS_H
#define GMPROF_PROFILE_HEATRECORDS_H

#include "profile/HeatCases.h"
#include <optional>

namespace gmprof {

/// Nothing if it cannot be that of a map.
std::optional<profile::HeatRun> decodeHeatRun(const log::HeatRun &From);

/// Puts what the records say into a profile. Each function returns false when the
/// record is damaged.
class HeatRecords {
public:
  /// Kernels are the kernels of P by their ids in the log.
  HeatRecords(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels, HeatCases &Cases)
      : P(P), Kernels(Kernels), Cases(Cases) {}

  bool context(Payload B);
  bool runs(Payload B);

private:
  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  HeatCases &Cases;
  std::unordered_map<uint64_t, size_t> ContextById;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATRECORDS_H
