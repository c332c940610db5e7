//===- ComputedHeat.h - Computes heat from closed forms ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses that the launch determines need not be recorded while the kernel runs: their closed
// forms (GmprofHeatFormDesc) yield bit for bit the pages (GmprofHeatPage), the shared memory words
// and the request costs that K__gm_heat_all would record. The result is merged with what the clone
// has recorded of other accesses.
//
// Expensive steps run once for many requests (WarpRequests.h): which words the lanes access, and
// the cost, which only depends on the first lane's address within a sector. Words are then counted
// run by run. Pages exist for one part of memory at a time; each part takes a pass over all blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPUTEDHEAT_H
#define GMPROF_PROFILE_COMPUTEDHEAT_H

#include "profile/BlockRange.h"
#include "profile/ClosedForm.h"
#include "profile/HeatPages.h"
#include "profile/Profile.h"

namespace gmprof {

/// An object, or a section of one that its pool parts leave.
struct HeatRange {
  uint64_t Object = 0, Address = 0, Bytes = 0;
  NotedPages Noted; ///< recorded pages, numbered from the range's first page
};

/// A launch in which the closed forms hold.
struct DescribedLaunch {
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  BlockRange Noted;
  uint64_t Times = 1;             ///< number of executions
  std::vector<int64_t> Values;    ///< values of the parameters
  std::vector<uint64_t> Pointers; ///< global address per variable of the descriptor
  std::vector<HeatRange> Ranges;  ///< ranges that closed forms access, sorted by address

  uint64_t blocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
};

/// Maximum number of requests to compute; launches with more are recorded instead.
inline constexpr uint64_t MostHeatRequests = uint64_t(1) << 30;

/// Memory that a closed form of a launch accesses.
struct HeatReach {
  uint64_t Requests = 0;           ///< upper bound for the recorded blocks
  int64_t Lowest = 0, Highest = 0; ///< first and last byte, from the variable's start
};

/// Returns nothing if the form's requests cannot be computed. `Words` is the decoded form.
std::optional<HeatReach> reachOf(const profile::HeatForm &Form, const ClosedForm &Words,
                                 const DescribedLaunch &Launch);

/// Adds the heat of a kernel's closed forms to a context, whose sites, shared memory words and
/// addresses the caller has sized and set. Returns false if it cannot be computed.
bool addComputedHeat(const profile::Descriptor &Desc, const DescribedLaunch &Launch,
                     profile::HeatContext &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPUTEDHEAT_H
