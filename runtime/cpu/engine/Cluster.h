//===- Cluster.h - Cluster of blocks ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster start together on one worker, so that each knows the shared memory of the
// others. The cluster's barrier completes when all live threads have arrived. It has turns, because
// a thread that has arrived need not wait immediately. In a launch without clusters each block is a
// cluster of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_CLUSTER_H
#define GMPROF_CPU_ENGINE_CLUSTER_H

#include <cstdint>
#include <vector>

namespace gmprof::cpu {

class Block;
struct Lane;

/// State of a cluster.
class Cluster {
public:
  /// Adds the next block by rank, with its number of threads.
  void add(Block &B, unsigned Threads);
  /// Publishes the shared memory of all blocks to each of them; called when all blocks have been
  /// added.
  void complete();

  void arrive(Lane &L);
  /// Returns whether the barrier at which the thread last arrived is incomplete.
  bool mustWait(const Lane &L) const;
  void threadEnded(Lane &L);
  /// Removes a block that has ended or is abandoned, with this many live threads.
  void leave(Block &B, unsigned LiveThreads);

private:
  void releaseIfAllArrived();

  std::vector<Block *> Blocks;    ///< by rank; null: ended
  std::vector<uint64_t> Bases;    ///< of each block's shared memory
  uint32_t Live = 0, Arrived = 0; ///< numbers of threads
  uint32_t Turn = 1;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_CLUSTER_H
