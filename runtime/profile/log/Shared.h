//===- Shared.h - Records of the profile shared -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_SHARED_H
#define GMPROF_PROFILE_LOG_SHARED_H

#include <cstdint>

namespace gmprof::log {

/// Counts of one launch context: usually one launch, several if launches share a context or a graph
/// was replayed. Arrays follow in this order: uint64_t sums[words], uint32_t capped[words],
/// uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout), double
/// deviations[variableCount]. Replicas are already summed. Each replica is a group of blocks; a
/// variable's deviation is the sum of n (t/n - T/N)^2 over the groups, where the n blocks of the
/// group made t accesses and all N blocks made T. Its expectation is (groups - 1) times the
/// variance of a block's accesses (Wolter, Introduction to Variance Estimation, 2nd edition,
/// chapter 2: random groups). Records of one context add up: each holds the counts since the
/// previous one.
struct SharedCountsRecord {
  uint64_t context;
  uint64_t sharedCase; ///< SharedCaseRecord whose closed forms these launches did not count; 0: all
                       ///< was counted
  uint64_t blocks;     ///< number of counted blocks
  uint64_t threads;    ///< threads of the counted blocks
  /// Executions of a node in a graph's conditional body; else 0.
  uint64_t bodyLaunches;
  uint64_t lost; ///< accesses outside the counted words
  uint32_t kernel;
  uint32_t words;
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress;
  uint32_t dynamicSharedBytes; ///< requested by the program
  uint32_t blockSample;
  uint32_t counters; ///< 0: in shared memory, 1: in device memory
  uint32_t groups;   ///< number of groups with counted blocks
  uint32_t reserved;
};

/// Properties shared by launches of a kernel for which the closed forms of its shared memory
/// accesses hold and agree (GmprofFormDesc). SharedCountsRecord::sharedCase refers to it, or
/// LaunchRecord::context if no clone counts; it precedes both in the log. The values are those of
/// the kernel's parameters, sign-extended; 0 for parameters that are not integers.
struct SharedCaseRecord {
  uint64_t context; ///< numbered together with SharedCountsRecord::context
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as requested by the program
  uint32_t valueCount;
  uint32_t reserved;
};

/// Live ranges of a context's launches, for each variable that the descriptor lists for it. Follows
/// the SharedCounts record of the context. Records of one context add up.
struct LiveRangesRecord {
  uint64_t context;
  uint32_t kernel;
  uint32_t variables;
  uint32_t records;     ///< number of recorded single ranges, the first ones
  uint32_t recordsSeen; ///< number of single ranges
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_SHARED_H
