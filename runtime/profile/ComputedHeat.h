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

#include "profile/HeatReach.h"
#include "profile/Profile.h"

namespace gmprof {

/// Adds what the closed forms of a kernel say to a context whose sites, words of shared memory and
/// addresses are there already. Returns false if that could not be computed.
bool addComputedHeat(const profile::Descriptor &Desc, const DescribedLaunch &Launch,
                     profile::HeatContext &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPUTEDHEAT_H
