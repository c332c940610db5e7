//===- SharedRegions.h - Arrays in shared memory ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static variable is at the address that the clone reported, with the descriptor's size. Dynamic
// shared memory is one region, from its first variable to the end of the launch's request. All
// extern arrays refer to this region, so it is listed once, with all their names.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_SHAREDREGIONS_H
#define GMPROF_ANALYSIS_SHARED_SHAREDREGIONS_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

struct SharedRegion {
  bool Dynamic = false;
  std::vector<uint32_t> Variables; ///< indices in the descriptor; a static region has one
  uint32_t Address = 0;
  uint64_t Bytes = 0;
};

/// A clone's report of a launch's shared memory (GmprofSharedLayout).
struct SharedAddresses {
  uint32_t First = 0, Dynamic = 0, DynamicBytes = 0;
  const std::vector<uint32_t> &OfVariables;
};

/// Returns the static variables in order, then the dynamic region.
std::vector<SharedRegion> sharedRegions(const profile::Descriptor &Desc,
                                        const SharedAddresses &Addresses);

/// Returns the distinct names of the variables; "(dynamic shared memory)" without any.
std::string regionName(const profile::Descriptor &Desc, const std::vector<uint32_t> &Variables);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_SHAREDREGIONS_H
