//===- ComputedHeat.h - Heat that closed forms tell -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses that the launch determines need not be noted while the kernel runs: from their closed
// forms (GmprofHeatFormDesc) follows the same that K__gm_heat notes, its pages (GmprofHeatPage),
// its words of shared memory and what requests come to, bit by bit. What a clone has noted of other
// accesses is joined with it.
//
// What costs time is done once for many requests (WarpRequests.h): which lanes access what, and
// what that comes to, which depends on the first lane's address within a sector alone. Then words
// are counted run by run. Pages are made for a part of memory at a time, in a pass over all blocks
// for each.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPUTEDHEAT_H
#define GMPROF_PROFILE_COMPUTEDHEAT_H

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

/// Launches with more requests are noted instead.
inline constexpr uint64_t MostHeatRequests = uint64_t(1) << 30;

/// Where a launch's closed form accesses memory.
struct HeatReach {
  uint64_t Requests = 0;           ///< of the noted blocks, not more
  int64_t Lowest = 0, Highest = 0; ///< bytes from the start of the variable; Highest is accessed
};

/// Nothing if it cannot be computed what the form's requests are. Words: the form's.
std::optional<HeatReach> reachOf(const profile::HeatForm &Form, const ClosedForm &Words,
                                 const DescribedLaunch &Launch);

/// Adds what the closed forms of a kernel say to a context whose sites, words of shared memory and
/// addresses are there already. Returns false if that could not be computed.
bool addComputedHeat(const profile::Descriptor &Desc, const DescribedLaunch &Launch,
                     profile::HeatContext &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPUTEDHEAT_H
