//===- PoorCacheLocality.h - Finds data that caches lose --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Von Buelow et al. (PG'22) show each allocation's hit rates and leave it to the eye which of them
// are poor. A low hit rate alone says little: data that is used once has none. Here a rule looks
// at what a cache fetched a second time because it had lost it meanwhile (SeenSectors.h), and
// reports an object of a kernel as
//
//  * "lost_in_l1" if, of its loads through L1,
//     - at least 20 of 100 sectors looked up were fetched again: the hit rate is that much lower
//       than that of a cache that loses nothing;
//     - at least half of the sectors fetched were fetched again: one time each, on average;
//     - and they were lost within their reach, which is to say that half of them were fetched
//       again for the same block, or that lanes use less than half of the bytes fetched: the rest
//       of each sector is what is asked for later. Blocks that load their own tiles, whole
//       sectors a time, fetch again what other blocks have used before them; no L1 could keep
//       that, and shared memory serves the reuse that there is.
//  * "lost_to_fences" if, of its loads through L1,
//     - at least 20 of 100 sectors looked up, and half of those fetched, were there until a
//       fence or an operation with acquire semantics emptied L1 (static-analysis/Fences.h).
//  * "split_among_l1s" if, of its loads through L1,
//     - at least 20 of 100 sectors looked up, and half of those fetched, had been fetched by
//       another multiprocessor for other bytes of them (SplitSectors.h);
//     - and lanes use less than half of the bytes fetched before L1 loses them, each counted once.
//  * "lost_in_l2" if half of the sectors that it reads from DRAM were read before in the same
//    launch, and those are 20 of 100 that it asks of L2.
//
// One is reported: lost_in_l2, as DRAM is farther, before lost_to_fences, lost_in_l1 and
// split_among_l1s. Less than 64 KB is not, nor what rests on fewer than 256 sectors where lines are
// sampled.
//
// Innocent: streams, which are fetched once; broadcasts, which hit, or are once fetched by each
// multiprocessor; fields of structures of which nobody needs the rest; tiles in shared memory, and
// the edges of tiles; loads that ask for L2 themselves (.cg, volatile).
//
// Severity is by the share of the kernel's traffic with L2, or DRAM, that is for sectors fetched
// again, or split: high from a half on, medium from a tenth, else low; low at most for a kernel
// with less than a hundredth of the program's traffic with L2.
//
// Saved are the bytes of these sectors. As seconds, if DRAM's bandwidth is known: what those from
// DRAM take at that rate, which is less than what a kernel gains that waits for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_POORCACHELOCALITY_H
#define GMPROF_ANALYSIS_POORCACHELOCALITY_H

#include "analysis/CacheUse.h"
#include "analysis/Finding.h"
#include <string>
#include <vector>

namespace gmprof::analysis {

struct PoorCacheLocalityOptions {
  double LostOfLookups = 0.2, AgainOfFetched = 0.5, ByBlockOfAgain = 0.5, UsedOfFetched = 0.5;
  uint64_t LeastBytes = 64 << 10, LeastSampled = 256;
  double HighShare = 0.5, MediumShare = 0.1, SmallKernel = 0.01;
  uint32_t Sampled = 1;          ///< one of so many lines is simulated
  double DramBytesPerSecond = 0; ///< 0: not known
};

/// A change that was simulated from the trace, for one launch of a kernel, with caches that are
/// empty when it begins.
struct CachePrediction {
  uint32_t Kernel = profile::None;
  std::string Name; ///< swap_threads, block_32x8
  std::string What; ///< "x and y of the threads' indices were swapped"
  uint64_t L2BytesBefore = 0, L2BytesAfter = 0, DramBytesBefore = 0, DramBytesAfter = 0;
  std::string Refused; ///< why it cannot be told; else empty
};

/// With fingerprints; not ranked.
std::vector<Finding> poorCacheLocality(const profile::Profile &P,
                                       const std::vector<KernelCacheUse> &Uses,
                                       const std::vector<CachePrediction> &Predictions = {},
                                       const PoorCacheLocalityOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_POORCACHELOCALITY_H
