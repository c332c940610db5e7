//===- Launch.h - A kernel launch and its workers ------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a launch are handed out in the order of their index, to the
// thread that called run() and to a pool of one thread per further core. A worker
// goes round the blocks it has begun; when all of them wait for other blocks, it
// begins another. So blocks may wait for each other (decoupled look-back,
// cooperative groups' grid barriers, home-made ones), as far as they would fit on
// a GPU together. The blocks of a cluster are begun together, by one worker.
//
// Results do not depend on which worker runs what: printf output is written in
// the order of the blocks, and of several faults that of the first block is
// reported; blocks before a faulting one still run, blocks after it do not.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_LAUNCH_H
#define GMPROF_CPU_ENGINE_LAUNCH_H

#include "cpu/Engine.h"
#include "cpu/engine/Kernel.h"
#include "cpu/engine/Races.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace gmprof::cpu {

class Block;
class Cluster;

class Launch {
public:
  Launch(const CompiledKernel &Kernel, const LaunchConfig &Config, const MemoryMap &Memory,
         std::unique_ptr<char[]> Params);

  /// Runs all blocks. Returns the fault if there was one, with what happened as
  /// its message.
  std::optional<Fault> run();
  /// The instruction of the fault; 0 if it is none of the kernel's.
  uint64_t faultCode() const { return FaultCode; }

  /// One worker's part; returns when no block is left to begin and its own are done.
  void work();

  /// A block that comes after one that faulted.
  bool isCancelled(uint64_t Index) const {
    return Index > FirstFault.load(std::memory_order_relaxed);
  }

  /// What: what happened, a clause. Code: the instruction.
  void report(const Block &B, const ThreadState &Thread, FaultKind Kind, uint64_t Address,
              std::string What, uint64_t Code = 0);
  /// A line for stderr, for the first fault only (a failed assertion's).
  void reportAssert(const Block &B, const ThreadState &Thread, const std::string &Line);

  const CompiledKernel &Kernel;
  const LaunchConfig Config;
  const MemoryMap &Memory;
  std::unique_ptr<char[]> Params;
  uint64_t GridId;
  std::unique_ptr<RaceDetector> Races; ///< if the kernel is watched
  uint64_t ConstantLow = 0, ConstantHigh = 0;
  /// What cooperative groups keep of a grid: its size, and the barrier.
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
  const uint64_t MaxResident;    ///< blocks begun by one worker and not done
  std::atomic<uint64_t> Next{0}; ///< block or, if they have several blocks, cluster
  std::atomic<uint64_t> FirstFault{UINT64_MAX};
  std::atomic<uint64_t> LastProgress{0}; ///< steady clock, nanoseconds

  std::mutex Mutex; ///< of what follows
  std::optional<Fault> TheFault;
  uint64_t FaultCode = 0;
  std::string AssertLine;
  std::map<uint64_t, std::string> Output; ///< of printf, by block
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_LAUNCH_H
