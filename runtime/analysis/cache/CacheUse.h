//===- CacheUse.h - Cache use by kernel and object --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums the cells of a simulation (cache/Simulator.h), which are per launch, instruction and object
// of the trace, over the launches of each kernel of the profile, by object and line.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_CACHE_CACHEUSE_H
#define GMPROF_ANALYSIS_CACHE_CACHEUSE_H

#include "cache/Simulator.h"
#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Accesses of one kind from one line.
struct CacheLineUse {
  profile::SourcePosition Source; ///< empty for instructions without a line
  cache::AccessKind Kind = cache::AccessKind::Load;
  cache::AccessCounts Counts;
};

/// A kernel's accesses to an object, or to all objects that one call site allocates if it is known.
struct CacheObjectUse {
  uint64_t Id = 0; ///< profile::Object::Id of the first object; 0: not in the profile
  std::string Name;
  uint64_t Objects = 1, Bytes = 0;   ///< Bytes: of the first object
  cache::AccessCounts Counts, Loads; ///< Loads: the accesses among Counts that L1 serves
  std::vector<CacheLineUse> Lines;
};

struct KernelCacheUse {
  uint32_t Kernel = profile::None; ///< index in Profile::Kernels
  uint64_t Launches = 0;
  uint32_t HeaviestLaunch = 0; ///< trace number of the launch with the most needless traffic
  cache::AccessCounts Counts;
  std::vector<CacheObjectUse> Objects; ///< without local memory
};

/// Returns, for each launch of the trace, its index in Profile::Kernels, or profile::None.
std::vector<uint32_t> kernelsOfLaunches(const profile::Profile &P,
                                        const cache::SimulationResults &R);

/// Returns the cache use of all kernels that the profile has.
std::vector<KernelCacheUse> cacheUse(const profile::Profile &P, const cache::SimulationResults &R);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_CACHE_CACHEUSE_H
