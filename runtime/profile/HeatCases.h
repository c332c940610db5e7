//===- HeatCases.h - Adds the heat that closed forms tell -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What closed forms describe of a launch in the profile of heat, nothing notes while it runs
// (log::HeatCaseRecord). Here it is computed (ComputedHeat.h), so that the profile has all in
// one place: for launches of the program's own kernel, which have no heat of their own in the
// log, and for those whose clone has noted the other accesses. Launches that agree are
// computed once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATCASES_H
#define GMPROF_PROFILE_HEATCASES_H

#include "profile/ComputedHeat.h"
#include "profile/Payload.h"
#include <map>
#include <memory>
#include <unordered_map>

namespace gmprof {

class HeatCases {
public:
  /// Kernels are the kernels of P by their ids in the log.
  HeatCases(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels)
      : P(P), Kernels(Kernels) {}

  /// Each returns false when the record is damaged.
  bool record(Payload B);
  bool pages(Payload B);
  /// A context that a clone has noted, without this case's closed forms. False if there is no such
  /// case of that kernel.
  bool isJoined(uint64_t Case, const profile::HeatContext &C);
  /// When all launches are known. Returns how many contexts lack what could not be computed.
  uint64_t addToHeat();

private:
  struct Case {
    uint32_t Kernel = 0;
    uint32_t DynamicSharedBytes = 0;
    std::vector<uint64_t> Objects; ///< per variable
    DescribedLaunch Launch;
    uint64_t Context = 0; ///< that a clone has noted; 0: none
  };

  profile::HeatContext contextOf(const Case &K) const;
  std::shared_ptr<const profile::HeatContext> compute(const Case &K, profile::HeatContext Empty);
  bool complete(const Case &K, profile::HeatContext &Noted);

  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  std::map<uint64_t, Case> Cases;
  std::unordered_map<uint64_t, uint64_t> CaseOfContext;
  /// What was computed for launches that agree in all of this.
  std::map<std::vector<uint64_t>, std::shared_ptr<const profile::HeatContext>> Known;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATCASES_H
