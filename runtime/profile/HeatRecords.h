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

/// Returns nothing if no map can have such a run.
std::optional<profile::HeatRun> decodeHeatRun(const log::HeatRun &From);

/// Decodes records of heat maps into a profile. Each function returns false if the record is
/// damaged.
class HeatRecords {
public:
  /// Kernels maps kernel ids of the log to indices of P.Kernels.
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
