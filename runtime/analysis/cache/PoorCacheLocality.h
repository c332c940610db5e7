//===- PoorCacheLocality.h - Finds poor cache locality ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Von Buelow et al. (PG'22) show each allocation's hit rates and leave their judgement to the user.
// A low hit rate alone says little: data that is used once has none. This rule uses the sectors
// that a cache fetched again because it had evicted them (SeenSectors.h), and reports an object of
// a kernel as
//
//  * "lost_in_l1" if, for its loads through L1,
//     - at least 20 % of the sectors looked up were fetched again: the hit rate is that much lower
//       than that of an infinite cache;
//     - at least half of the sectors fetched were fetched again: once each, on average;
//     - and the loss is avoidable: half of them were fetched again for the same block, or lanes use
//       less than half of the bytes fetched, so that the rest of each sector is requested later.
//       Blocks that load their own tiles in whole sectors fetch again what other blocks used
//       before; no L1 could keep that, and shared memory already serves the reuse.
//  * "lost_to_fences" if, for its loads through L1,
//     - at least 20 % of the sectors looked up, and half of those fetched, were in L1 until a fence
//       or an operation with acquire semantics invalidated it (static-analysis/Fences.h).
//  * "split_among_l1s" if, for its loads through L1,
//     - at least 20 % of the sectors looked up, and half of those fetched, had been fetched by
//       another multiprocessor for other bytes of them (SplitSectors.h);
//     - and lanes use less than half of the bytes fetched before L1 evicts them, each counted once.
//  * "lost_in_l2" if half of the sectors that it reads from DRAM were read earlier in the same
//    launch, and these are 20 % of its L2 lookups.
//
// One kind is reported per object: lost_in_l2, since DRAM is farther, before lost_to_fences,
// lost_in_l1 and split_among_l1s. Less than 64 KB is not reported, nor, if lines are sampled, fewer
// than 256 sectors.
//
// Not reported: streams, which are fetched once; broadcasts, which hit, or are fetched once by each
// multiprocessor; structure fields whose neighbours are unused; tiles in shared memory and their
// borders; loads that bypass L1 (.cg, volatile).
//
// Severity depends on the share of the kernel's L2 or DRAM traffic for sectors fetched again or
// split: High from a half, Medium from a tenth, else Low; at most Low for a kernel with less than a
// hundredth of the program's L2 traffic.
//
// The bytes saved are those of these sectors. The time saved, if DRAM's bandwidth is known, is that
// of the DRAM sectors at full bandwidth, a lower bound for kernels that wait for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_CACHE_POORCACHELOCALITY_H
#define GMPROF_ANALYSIS_CACHE_POORCACHELOCALITY_H

#include "analysis/Finding.h"
#include "analysis/cache/CacheUse.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

struct PoorCacheLocalityOptions {
  double LostOfLookups = 0.2, AgainOfFetched = 0.5, ByBlockOfAgain = 0.5, UsedOfFetched = 0.5;
  uint64_t LeastBytes = 64 << 10, LeastSampled = 256;
  double HighShare = 0.5, MediumShare = 0.1, SmallKernel = 0.01;
  uint32_t Sampled = 1;          ///< one of this many lines is simulated
  double DramBytesPerSecond = 0; ///< 0: unknown
};

/// A change that was simulated on the trace, for one launch of a kernel with initially empty
/// caches.
struct CachePrediction {
  uint32_t Kernel = profile::None;
  std::string Name; ///< swap_threads, block_32x8
  std::string What; ///< "x and y of the threads' indices were swapped"
  uint64_t L2BytesBefore = 0, L2BytesAfter = 0, DramBytesBefore = 0, DramBytesAfter = 0;
  std::string Refused; ///< why it cannot be predicted; else empty
};

/// Returns the findings with fingerprints, not ranked.
std::vector<Finding> poorCacheLocality(const profile::Profile &P,
                                       const std::vector<KernelCacheUse> &Uses,
                                       const std::vector<CachePrediction> &Predictions = {},
                                       const PoorCacheLocalityOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_CACHE_POORCACHELOCALITY_H
