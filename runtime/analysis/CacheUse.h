//===- CacheUse.h - What caches did for kernels and objects -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cells of a simulation (cache/Simulator.h) are of a launch, an instruction and an object of
// the trace. Here they are added up over the launches of each kernel of the profile, by object
// and line.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_CACHEUSE_H
#define GMPROF_ANALYSIS_CACHEUSE_H

#include "cache/Simulator.h"
#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Accesses of one kind in a line.
struct CacheLineUse {
  profile::SourcePosition Source; ///< of an instruction without a line: none
  cache::AccessKind Kind = cache::AccessKind::Load;
  cache::AccessCounts Counts;
};

/// What a kernel did to an object, or to several that one call allocates, if it is known.
struct CacheObjectUse {
  uint64_t Id = 0; ///< profile::Object::Id, of the first; 0: no object of the profile
  std::string Name;
  uint64_t Objects = 1, Bytes = 0;   ///< of the first
  cache::AccessCounts Counts, Loads; ///< Loads: of these, those that L1 serves
  std::vector<CacheLineUse> Lines;
};

struct KernelCacheUse {
  uint32_t Kernel = profile::None; ///< index into Profile::Kernels
  uint64_t Launches = 0;
  uint32_t HeaviestLaunch = 0; ///< number of the trace's launch in which most is needless
  cache::AccessCounts Counts;
  std::vector<CacheObjectUse> Objects; ///< local memory is none
};

/// Of each launch of the trace: index into Profile::Kernels, or profile::None.
std::vector<uint32_t> kernelsOfLaunches(const profile::Profile &P,
                                        const cache::SimulationResults &R);

/// Of all kernels that the profile has.
std::vector<KernelCacheUse> cacheUse(const profile::Profile &P, const cache::SimulationResults &R);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_CACHEUSE_H
