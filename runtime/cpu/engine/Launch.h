//===- Launch.h - Kernel launch and its workers -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are assigned in index order to the thread that called run() and to a pool of one thread
// per further core. A worker switches between the blocks it has started; when all of them wait for
// other blocks, it starts another. Blocks can therefore wait for each other (decoupled look-back,
// grid barriers of cooperative groups, hand-written ones) as long as they would be resident
// together on a GPU. The blocks of a cluster start together on one worker.
//
// Results do not depend on the assignment of blocks: printf output is written in block order, and
// the fault of the first faulting block is reported; blocks before it still run, blocks after it do
// not.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_LAUNCH_H
#define GMPROF_CPU_ENGINE_LAUNCH_H

#include "cpu/Engine.h"
#include "cpu/engine/Kernel.h"
#include "cpu/engine/Races.h"
#include "profile/Mutex.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace gmprof::cpu {

class Block;
class Cluster;

/// One launch of a kernel.
class Launch {
public:
  Launch(const CompiledKernel &Kernel, const LaunchConfig &Config, const MemoryMap &Memory,
         std::unique_ptr<char[]> Params);

  /// Runs all blocks. Returns the fault, if any; its message holds only the cause.
  std::optional<Fault> run();
  /// Returns the address of the faulting instruction; 0 if it is not in the kernel.
  uint64_t faultCode() {
    LockGuard Lock(Mutex);
    return FaultCode;
  }

  /// Runs blocks on the calling worker until none is left to start and its own are done.
  void work();

  /// Returns whether an earlier block has faulted.
  bool isCancelled(uint64_t Index) const {
    return Index > FirstFault.load(std::memory_order_relaxed);
  }

  /// Records a fault. What: the cause, as a clause. Code: address of the instruction.
  void report(const Block &B, const ThreadState &Thread, FaultKind Kind, uint64_t Address,
              std::string What, uint64_t Code = 0);
  /// Records a failed assertion; Line goes to stderr if it is the first fault.
  void reportAssert(const Block &B, const ThreadState &Thread, const std::string &Line);

  const CompiledKernel &Kernel;
  const LaunchConfig Config;
  const MemoryMap &Memory;
  std::unique_ptr<char[]> Params;
  uint64_t GridId;
  std::unique_ptr<RaceDetector> Races; ///< set if the kernel is checked for races
  uint64_t ConstantLow = 0, ConstantHigh = 0;
  /// Layout that cooperative groups expect of a grid's workspace: its size, and the barrier.
  struct GridWorkspace {
    uint32_t Bytes = sizeof(GridWorkspace);
    uint32_t Barrier = 0;
    uint32_t Reserved[14] = {};
  } Workspace;

private:
  using Blocks = std::deque<std::unique_ptr<Block>>;
  bool begin(Blocks &Begun);
  std::unique_ptr<Block> beginBlock(uint64_t Index, std::shared_ptr<Cluster> Of = nullptr);
  uint64_t blockOf(uint64_t Cluster, unsigned Rank) const;
  void finish(Block &B);
  void noteProgress();
  bool isStuck() const;

  const uint64_t NumBlocks;
  const uint64_t MaxResident;    ///< limit of started, unfinished blocks per worker
  std::atomic<uint64_t> Next{0}; ///< next block to start, or next cluster if clusters have several
                                 ///< blocks
  std::atomic<uint64_t> FirstFault{UINT64_MAX};
  std::atomic<uint64_t> LastProgress{0}; ///< steady clock, nanoseconds

  gmprof::Mutex Mutex;
  std::optional<Fault> TheFault GMPROF_GUARDED_BY(Mutex);
  uint64_t FaultCode GMPROF_GUARDED_BY(Mutex) = 0;
  std::string AssertLine GMPROF_GUARDED_BY(Mutex);
  std::map<uint64_t, std::string> Output GMPROF_GUARDED_BY(Mutex); ///< output of printf, by block
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_LAUNCH_H
