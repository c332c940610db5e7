//===- RequestCost.h - What a warp's request comes to in memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For requests whose addresses are known without running the kernel, what the hooks of
// runtime/device/Heat.cu find out of those that it makes (GmprofHeatSite):
//
//  * Of global memory: different bytes, the sectors that they lie in, as many sectors as so many
//    bytes need at least. A request that needs more although its addresses are consecutive is
//    misaligned.
//  * Of shared memory: wavefronts, which are passes over the 32 banks. Each serves one word
//    of every bank, and any number of lanes that want it (NVIDIA, CUDA C++ Programming Guide,
//    "Shared Memory"). Requests of 8 and of 16 bytes are served in halves and quarters of the warp;
//    of twice as many lanes, where each two neighbours want the same.
//  * Of both: how far apart lanes are, if that is equal for all of them, and they neither want the
//    same nor lie side by side.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_REQUESTCOST_H
#define GMPROF_PROFILE_REQUESTCOST_H

#include "profile/WarpRequests.h"

namespace gmprof {

struct RequestCost {
  uint32_t Lanes = 0, Bytes = 0;
  uint32_t Sectors = 0, Ideal = 0; ///< of shared memory: wavefronts
  bool Misaligned = false;
  int64_t Stride = 0; ///< 0: there is none
};

/// Address: of the first lane. Each lane accesses Bytes bytes: 1, 2, 4, 8 or 16.
RequestCost costInGlobal(const LanePattern &P, uint64_t Address, unsigned Bytes);
RequestCost costInShared(const LanePattern &P, uint64_t Address, unsigned Bytes);

/// Adds so many requests.
void add(GmprofHeatSite &To, const RequestCost &Each, uint64_t Requests);
/// Adds up what requests come to.
void add(GmprofHeatSite &To, const GmprofHeatSite &From);

} // namespace gmprof

#endif // GMPROF_PROFILE_REQUESTCOST_H
