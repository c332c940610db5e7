//===- Block.h - Execution of the threads of one block ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block runs on one worker. Each GPU thread is a fiber, unless the kernel's threads never wait
// for each other. A thread that stops selects the next one and switches to it directly; only when
// none can run does the block return to its worker.
//
// Order: the lanes of a warp run one after another until each has stopped at a warp operation, a
// barrier or a waiting loop, or has exited. Then the earliest warp operation in program order whose
// lanes have all arrived is executed, and its lanes continue. A warp without runnable lanes yields
// to the next.
//
// A warp operation waits for the lanes of its mask that have not exited. A caller omitted from its
// own mask takes part nevertheless. If a block cannot proceed otherwise, operations with equal
// masks at different sites count as one, as with the hardware's convergence barriers; if that does
// not help either, the launch ends with a Deadlock fault.
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

/// Scheduler's state of a GPU thread. A switch touches two cache lines: the front of State, and the
/// fields that follow State.
struct alignas(64) Lane {
  ThreadState State; ///< first: lowered code passes its address
  alignas(64) Block *Owner = nullptr;
  void *Sp = nullptr;   ///< stack pointer at the last switch
  bool Started = false; ///< the stack holds a fiber
  // Warp operation or barrier at which the thread has stopped.
  bool NoMask = false;
  WarpOpKind Kind = WarpOpKind::ActiveMask;
  uint32_t Site = 0;
  uint32_t Mask = 0;
  uint32_t B = 0, C = 0;
  uint64_t A = 0;
  uint64_t Result = 0;
  uint32_t ArrivedIn = 0; ///< turn of the cluster's barrier; 0: not arrived
};

/// Returns the lane's bit in masks of its warp.
inline uint32_t bit(const Lane &L) { return 1u << L.State.Lane; }

/// Operands of an Exchange; Lane::A points to them.
struct ExchangeOperands {
  const void *Mine;
  size_t Bytes;
  void *All;
};

/// Scheduler of one block. Reused for several blocks of several launches.
class Block {
public:
  enum class Status {
    Done,
    Stalled, ///< all live threads wait for other blocks
    Faulted,
  };

  /// Prepares for blocks of launch L. Returns false if memory is exhausted.
  bool prepare(Launch &L);
  /// Starts the block with this linear index, in its cluster if the launch has clusters.
  void start(uint64_t Index, std::shared_ptr<Cluster> Of = nullptr);
  Status run();

  /// Returns whether, since the last call, a thread did anything other than iterate in a waiting
  /// loop.
  bool takeProgress() { return std::exchange(Progress, false); }
  /// Returns whether, since the last call, the block started or a thread of it exited.
  bool takeEnds() { return std::exchange(Ends, false); }
  uint64_t index() const { return Index; }
  Launch &launch() { return *TheLaunch; }
  const BlockState &state() const { return State; }
  Lane &running() { return *Running; }

  // Calls from the fiber of a thread.
  uint64_t warpOp(Lane &L);
  uint32_t barrier(Lane &L, uint32_t Site, BarrierKind Kind, uint32_t Id, uint32_t Count,
                   bool Predicate);
  void spin(Lane &L, uint32_t Site);
  void waitForCluster(Lane &L, uint32_t Site);
  Cluster &cluster();
  [[noreturn]] void exitThread(Lane &L);
  /// Ends the block: returns to the worker and abandons all stacks.
  [[noreturn]] void fault();

  /// Ends the block from a signal handler; returns the stack pointer at which execution must
  /// continue.
  void *abandon();

  // Calls from the cluster.
  void setPeers(std::span<const uint64_t> Bases);
  void releaseFromCluster();
  /// Returns the number of threads that have arrived in a turn of the cluster's barrier.
  unsigned arrivedIn(uint32_t Turn) const;
  /// Removes the block from its cluster, which continues without it.
  void leaveCluster();

  /// Reports a deadlock, with the site at which each thread waits.
  void reportDeadlock(const std::string &Why, const std::string &Remark = {});

  /// Returns whether an address is in the guard page below the running thread's stack.
  bool isStackGuard(uint64_t Address) const;
  const SharedWindow &window() const { return Window; }

  std::string Output;               ///< output of printf
  std::unique_ptr<RaceOrder> Order; ///< set if the launch is checked for races

private:
  struct Warp {
    uint32_t Live = 0, Runnable = 0, Waiting = 0, Spinning = 0;
    bool Alike = false; ///< all waiting lanes are known to be at the same warp operation
  };
  struct Barrier {
    uint32_t Arrived = 0;
    uint32_t Count = 0; ///< 0: all threads
    uint32_t True = 0;  ///< number of threads with a true predicate
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
  Dim3 Shape = {0, 0, 0}; ///< block dimensions for which the lanes' thread indices are set

  void *WorkerSp = nullptr;
  Lane *Running = nullptr;
  Status Ended = Status::Done;
  bool Progress = false, Ends = false;
  uint32_t CurrentWarp = 0;
  uint32_t ReadyWarps = 0;
  uint32_t UsedBarriers = 0;
  uint32_t AtCluster[MaxWarps] = {}; ///< lanes that wait at the cluster's barrier
  unsigned NumAtCluster = 0;
  std::shared_ptr<Cluster> TheCluster; ///< null: an implicit cluster that no thread has used yet
  Warp Warps[MaxWarps];
  Barrier Barriers[NumBarriers];
  std::unique_ptr<Lane[]> Lanes;
  StackRow Stacks;
  SharedWindow Window;
};

/// Returns the block whose device code the calling OS thread executes, or null.
Block *currentBlock();

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_BLOCK_H
