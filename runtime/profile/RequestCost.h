//===- RequestCost.h - Cost of a warp's memory request ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes, for requests whose addresses are known without running the kernel, the costs that the
// hooks of runtime/device/HeatNote.h measure for executed requests (GmprofHeatSite):
//
//  * Global memory: distinct bytes, their sectors, and the minimum of sectors for that many bytes.
//    A request of consecutive addresses that needs more is misaligned.
//  * Shared memory: wavefronts, that is, passes over the 32 banks. A pass serves one word of each
//    bank to any number of lanes (NVIDIA, CUDA C++ Programming Guide, "Shared Memory"). Requests of
//    8 and 16 bytes per lane are served by half and quarter warps, and by twice as many lanes if
//    the two lanes of each pair have equal addresses.
//  * Both: the distance between neighbouring lanes, if it is the same for all lanes and neither 0
//    nor the access size.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_REQUESTCOST_H
#define GMPROF_PROFILE_REQUESTCOST_H

#include "profile/WarpRequests.h"

namespace gmprof {

struct RequestCost {
  uint32_t Lanes = 0, Bytes = 0;
  uint32_t Transactions = 0, Ideal = 0; ///< see GmprofHeatSite
  bool Misaligned = false;
  int64_t Stride = 0; ///< in bytes; 0: none
};

/// Return the cost of a request. Address is that of the first active lane; each lane accesses Bytes
/// bytes: 1, 2, 4, 8 or 16.
RequestCost costInGlobal(const LanePattern &P, uint64_t Address, unsigned Bytes);
RequestCost costInShared(const LanePattern &P, uint64_t Address, unsigned Bytes);

/// Adds the cost of `Requests` equal requests to a site.
void add(GmprofHeatSite &To, const RequestCost &Each, uint64_t Requests);
/// Adds the costs of one site to another.
void add(GmprofHeatSite &To, const GmprofHeatSite &From);

} // namespace gmprof

#endif // GMPROF_PROFILE_REQUESTCOST_H
