//===- ComputedHeat.h - Computes heat from closed forms ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses that the launch determines need not be recorded while the kernel runs: their closed
// forms (GmprofHeatFormDesc) yield bit for bit the pages (GmprofHeatPage), the shared memory words
// and the request costs that K__gm_heat_all would record. The result is merged with the clone's
// records of other accesses.
//
// Expensive steps run once for many requests (WarpRequests.h): which words the lanes access, and
// the cost, which only depends on the first lane's address within a sector. Words are then counted
// run by run. Pages exist for one part of memory at a time; each part takes a pass over all blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPUTEDHEAT_H
#define GMPROF_PROFILE_COMPUTEDHEAT_H

#include "profile/HeatReach.h"
#include "profile/Profile.h"

namespace gmprof {

/// Adds the heat of a kernel's closed forms to a context that already has its sites, words of
/// shared memory and addresses. Returns false if it cannot be computed.
bool addComputedHeat(const profile::Descriptor &Desc, const DescribedLaunch &Launch,
                     profile::HeatContext &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPUTEDHEAT_H
