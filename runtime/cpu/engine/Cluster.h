//===- Cluster.h - Blocks that share their shared memory ------ -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster begin together, on one worker, so that each knows where
// the shared memory of the others lies. Their barrier is complete when all threads
// have arrived that have not exited; it has turns, since a thread that has arrived
// need not wait at once. A block of a launch without clusters is one of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_CLUSTER_H
#define GMPROF_CPU_ENGINE_CLUSTER_H

#include <cstdint>
#include <vector>

namespace gmprof::cpu {

class Block;
struct Lane;

class Cluster {
public:
  /// The next block by rank, with all threads that will run.
  void add(Block &B, unsigned Threads);
  /// All blocks are there: tells them where their shared memory lies.
  void complete();

  void arrive(Lane &L);
  /// Whether the barrier that the thread arrived at last is not complete.
  bool mustWait(const Lane &L) const;
  void threadEnded(Lane &L);
  /// The block is done or given up, with so many threads that have not exited.
  void leave(Block &B, unsigned LiveThreads);

private:
  void releaseIfAllArrived();

  std::vector<Block *> Blocks;    ///< by rank; null: it has ended
  std::vector<uint64_t> Bases;    ///< of shared memory
  uint32_t Live = 0, Arrived = 0; ///< threads
  uint32_t Turn = 1;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_CLUSTER_H
