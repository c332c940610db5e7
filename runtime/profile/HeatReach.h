//===- HeatReach.h - Where a launch's closed forms access memory -*- C++ -*-==//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder decides with this whether the heat of a launch is computed when the log is read
// (ComputedHeat.h), or recorded by the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATREACH_H
#define GMPROF_PROFILE_HEATREACH_H

#include "profile/BlockRange.h"
#include "profile/ClosedForm.h"
#include "profile/HeatPages.h"
#include "profile/Profile.h"

namespace gmprof {

/// An object, or a part of one where others of its parts are objects.
struct HeatRange {
  uint64_t Object = 0, Address = 0, Bytes = 0;
  NotedPages Noted; ///< numbers count from its first page
};

/// A launch whose closed forms hold.
struct DescribedLaunch {
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  BlockRange Noted;
  uint64_t Times = 1;             ///< that it ran
  std::vector<int64_t> Values;    ///< of the parameters
  std::vector<uint64_t> Pointers; ///< per variable of the descriptor: its address in global memory
  std::vector<HeatRange> Ranges;  ///< sorted: the objects that closed forms access

  uint64_t blocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
};

/// Launches with more requests are recorded instead.
inline constexpr uint64_t MostHeatRequests = uint64_t(1) << 30;

/// The memory that a launch's closed form accesses.
struct HeatReach {
  uint64_t Requests = 0;           ///< of the recorded blocks only
  int64_t Lowest = 0, Highest = 0; ///< bytes from the start of the variable; Highest is accessed
};

/// Returns the reach of a form; nothing if its requests cannot be computed. Words: the form's.
std::optional<HeatReach> reachOf(const profile::HeatForm &Form, const ClosedForm &Words,
                                 const DescribedLaunch &Launch);

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATREACH_H
