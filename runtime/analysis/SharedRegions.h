//===- SharedRegions.h - Where arrays lie in shared memory ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static variable lies at the address that the clone reported, and is as long as its
// descriptor says. Dynamic shared memory is one region, from its first variable to the end of
// what the launch asked for; extern arrays all name this region, so it is there once, with
// all their names.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHAREDREGIONS_H
#define GMPROF_ANALYSIS_SHAREDREGIONS_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

struct SharedRegion {
  bool Dynamic = false;
  std::vector<uint32_t> Variables; ///< of the descriptor; of a static one, just it
  uint32_t Address = 0;
  uint64_t Bytes = 0;
};

/// What a clone says of a launch's shared memory (GmprofSharedLayout).
struct SharedAddresses {
  uint32_t First = 0, Dynamic = 0, DynamicBytes = 0;
  const std::vector<uint32_t> &OfVariables;
};

/// The static variables in their order, then the dynamic region.
std::vector<SharedRegion> sharedRegions(const profile::Descriptor &Desc,
                                        const SharedAddresses &Addresses);

/// The names of the variables, each once; "(dynamic shared memory)" without any.
std::string regionName(const profile::Descriptor &Desc, const std::vector<uint32_t> &Variables);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHAREDREGIONS_H
