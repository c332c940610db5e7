//===- Block.h - Runs the threads of one block ---------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block runs on one worker. Each GPU thread is a fiber, unless the kernel's
// threads never wait for each other. A thread that stops picks the next one and
// switches to it directly; only when none can run does the block return to its
// worker.
//
// Order. The lanes of a warp run one after another until each has stopped: at a
// warp operation, a barrier, in a waiting loop, or for good. Then, of the warp
// operations all of whose lanes are there, the earliest in program order is
// carried out and its lanes go on. A warp that has nothing left to run makes way
// for the next.
//
// What a warp operation waits for: the lanes of its mask that have not exited. A
// caller that its own mask omits takes part all the same. If a block can do
// nothing else, operations with one mask that stand at different places count as
// one, as hardware's convergence barriers have it; if that does not help either,
// the launch ends with a Deadlock fault.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_BLOCK_H
#define GMPROF_CPU_ENGINE_BLOCK_H

#include "cpu/Engine.h"
#include "cpu/engine/Cluster.h"
#include "cpu/engine/Kernel.h"
#include "cpu/engine/Memory.h"
#include "cpu/engine/Races.h"
#include "cpu/engine/WarpOps.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace gmprof::cpu {

class Block;
class Launch;

/// A GPU thread as the scheduler sees it. What a switch touches fills two lines of
/// the cache: the front of State, and what follows it.
struct alignas(64) Lane {
  ThreadState State; ///< first: lowered code passes its address
  alignas(64) Block *Owner = nullptr;
  void *Sp = nullptr;   ///< where its stack was left
  bool Started = false; ///< the stack holds a fiber
  // The warp operation or barrier it has stopped at.
  bool NoMask = false;
  WarpOpKind Kind = WarpOpKind::ActiveMask;
  uint32_t Site = 0;
  uint32_t Mask = 0;
  uint32_t B = 0, C = 0;
  uint64_t A = 0;
  uint64_t Result = 0;
  uint32_t ArrivedIn = 0; ///< the turn of the cluster's barrier; 0: in none yet
};

/// Operands of an Exchange, to which Lane::A points.
struct ExchangeOperands {
  const void *Mine;
  size_t Bytes;
  void *All;
};

class Block {
public:
  enum class Status {
    Done,
    Stalled, ///< all threads that have not exited wait for other blocks
    Faulted,
  };

  /// Makes ready to run blocks of Launch. False if memory is short.
  bool prepare(Launch &L);
  /// Begins with the block of this linear index, in its cluster if the launch has them.
  void start(uint64_t Index, std::shared_ptr<Cluster> Of = nullptr);
  Status run();

  /// Since the last call, some thread did more than turn in a waiting loop.
  bool takeProgress() { return std::exchange(Progress, false); }
  /// Since the last call, the block began or some thread of it ended.
  bool takeEnds() { return std::exchange(Ends, false); }
  uint64_t index() const { return Index; }
  Launch &launch() { return *TheLaunch; }
  const BlockState &state() const { return State; }
  Lane &running() { return *Running; }

  // Called on the fiber of a thread.
  uint64_t warpOp(Lane &L);
  uint32_t barrier(Lane &L, uint32_t Site, BarrierKind Kind, uint32_t Id, uint32_t Count,
                   bool Predicate);
  void spin(Lane &L, uint32_t Site);
  void waitForCluster(Lane &L, uint32_t Site);
  Cluster &cluster();
  [[noreturn]] void exitThread(Lane &L);
  /// Ends the block: back to the worker, all stacks abandoned.
  [[noreturn]] void fault();

  /// The same from a signal handler: where execution must go on.
  void *abandon();

  // Called by the cluster.
  void setPeers(std::span<const uint64_t> Bases);
  void releaseFromCluster();
  /// How many of its threads have arrived in a turn of the cluster's barrier.
  unsigned arrivedIn(uint32_t Turn) const;
  /// The cluster goes on without it.
  void leaveCluster();

  /// Reports that threads wait in vain, and which ones where.
  void reportDeadlock(const std::string &Why, const std::string &Remark = {});

  /// True below the end of the running thread's stack.
  bool isStackGuard(uint64_t Address) const;
  const SharedWindow &window() const { return Window; }

  std::string Output;               ///< of printf
  std::unique_ptr<RaceOrder> Order; ///< if the launch is watched

private:
  struct Warp {
    uint32_t Live = 0, Runnable = 0, Waiting = 0, Spinning = 0;
    bool Alike = false; ///< all that wait are known to be at the same warp operation
  };
  struct Barrier {
    uint32_t Arrived = 0;
    uint32_t Count = 0; ///< 0: all threads
    uint32_t True = 0;  ///< threads whose predicate is true
    uint32_t Reducing = 0;
    uint32_t Waiting[MaxWarps] = {};
  };

  bool prepareLanes(const Dim3 &NewShape);
  void locate();
  void join(std::shared_ptr<Cluster> Of);
  void threadEnded(Lane &L);
  static void fiberMain(void *L);
  void runOneAfterAnother(Lane &L);
  void stop(Lane &L);
  static void announce(const Lane *Next);
  Lane *next();
  void prefetchNext(const Warp &W) const;
  bool releaseEarliest(Warp &W, Lane *Lanes);
  bool releaseMixedSites();
  bool releaseByWarps();
  void release(Warp &W, Lane *Lanes, uint32_t Group);
  void complete(Barrier &Bar);
  bool isComplete(const Barrier &Bar) const;
  void completeBarriers();
  std::string describeWaiting() const;

  Launch *TheLaunch = nullptr;
  const CompiledKernel *Kernel = nullptr;
  uint64_t Index = 0;
  BlockState State = {};
  unsigned NumThreads = 0, NumLive = 0, NumLanes = 0;
  Dim3 Shape = {0, 0, 0}; ///< block dimensions that Lanes' thread indices are set for

  void *WorkerSp = nullptr;
  Lane *Running = nullptr;
  Status Ended = Status::Done;
  bool Progress = false, Ends = false;
  uint32_t CurrentWarp = 0;
  uint32_t ReadyWarps = 0;
  uint32_t UsedBarriers = 0;
  uint32_t AtCluster[MaxWarps] = {}; ///< lanes that wait for the cluster
  unsigned NumAtCluster = 0;
  std::shared_ptr<Cluster> TheCluster; ///< null: one of its own that nobody has asked for
  Warp Warps[MaxWarps];
  Barrier Barriers[NumBarriers];
  std::unique_ptr<Lane[]> Lanes;
  StackRow Stacks;
  SharedWindow Window;
};

/// The block that the calling OS thread is executing device code of, or null.
Block *currentBlock();

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_BLOCK_H
