//===- HeatCases.h - Adds heat of closed forms ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses that closed forms describe are not recorded while a launch of the heat profile runs
// (log::HeatCaseRecord). This class computes their heat (ComputedHeat.h) and completes the profile:
// launches of the program's own kernel have no heat in the log, and those of a clone lack these
// accesses. Equal launches are computed once.
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
  /// Kernels maps kernel ids of the log to indices of P.Kernels.
  HeatCases(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels)
      : P(P), Kernels(Kernels) {}

  /// Decode a record; return false if it is damaged.
  bool record(Payload B);
  bool pages(Payload B);
  /// Declares that the context of a clone lacks this case's closed forms. Returns false if the
  /// kernel has no such case.
  bool isJoined(uint64_t Case, const profile::HeatContext &C);
  /// Adds the computed heat; call after the last launch record. Returns the number of contexts that
  /// stay incomplete.
  uint64_t addToHeat();

private:
  struct Case {
    uint32_t Kernel = 0;
    uint32_t DynamicSharedBytes = 0;
    std::vector<uint64_t> Objects; ///< per variable
    DescribedLaunch Launch;
    uint64_t Context = 0; ///< context of the clone; 0: none
  };

  profile::HeatContext contextOf(const Case &K) const;
  std::shared_ptr<const profile::HeatContext> compute(const Case &K, profile::HeatContext Empty);
  /// Computes a launch of the program's own kernel. If one block is selected and accesses nothing,
  /// as at the border of a grid, the block in the middle of the grid stands for it.
  std::shared_ptr<const profile::HeatContext> computeOriginal(Case K);
  bool complete(const Case &K, profile::HeatContext &Noted);

  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  std::map<uint64_t, Case> Cases;
  std::unordered_map<uint64_t, uint64_t> CaseOfContext;
  /// Results by everything they depend on; null: not computable.
  std::map<std::vector<uint64_t>, std::shared_ptr<const profile::HeatContext>> Known;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATCASES_H
