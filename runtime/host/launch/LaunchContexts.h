//===- LaunchContexts.h - The counters of each launch -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch context is the device memory that a launch counts in. What is in it
// differs: SharedContexts.h, GlobalContexts.h. Each launch gets one of its own, so
// that concurrent streams do not mix. Its life is the same:
//
//   counting   A launch runs, or may: an event follows each launch.
//   reading    All events have passed: the memory is being copied to the host and
//              zeroed again, on a stream of ours.
//   done       The counts go where they are recorded, the memory back to the pool.
//
// The first launches of a kernel have contexts of their own. Once there have been
// many, launches that follow each other in one stream share one for a while:
// reading each would cost more than the launch, and the log would grow without
// bound.
//
// Nothing waits: poll() looks at events and takes the next step where it can.
// When the budget is spent, a launch shares the newest counting context of its
// shape; counts stay exact, but then cover several launches.
//
// Reading a large context takes longer than many launches do. So launches take no
// steps with those, and synchronisations only as long as that has not taken more than a
// share of the program's time, unless memory runs short; launches of a kernel that has several of
// them share the newest.
//
// A graph's kernel nodes keep their contexts until drain(), because a graph can
// be launched again as long as it or a copy of it lives.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHCONTEXTS_H
#define GMPROF_HOST_LAUNCH_LAUNCHCONTEXTS_H

#include "host/core/Device.h"
#include "host/launch/LaunchPlace.h"
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>

namespace gmprof::host {

/// What launches that can share a context have in common; derived classes add to it.
struct ContextShape {
  ContextShape() = default;
  ContextShape(uint32_t Kernel, LaunchPlace Place = LaunchPlace::Stream)
      : Kernel(Kernel), InGraph(Place != LaunchPlace::Stream),
        InBody(Place == LaunchPlace::GraphBody) {}

  uint32_t Kernel = 0;
  bool InGraph = false;
  bool InBody = false; ///< of a conditional node

  bool operator==(const ContextShape &) const = default;
};

struct LaunchContext {
  virtual ~LaunchContext() = default;

  uint64_t Id = 0;
  uint32_t Kernel = 0;
  bool InGraph = false;
  bool InBody = false;
  SlabPool::Block Memory;
  size_t Bytes = 0;      ///< of it that the launch counts in, from its start on
  uint64_t GraphKey = 0; ///< an address in the parameter that no other context has
  /// Of a graph's context: replays. Of one in a body: of the graph, until it is known how often
  /// the node ran.
  uint64_t Launches = 0;
  std::map<uint64_t, uint64_t> LaunchesOfCase; ///< where several cases share it
  unsigned Launching = 0;    ///< launches that have not recorded their event yet; nodes of graphs
  bool Unseen = false;       ///< the end of a launch cannot be seen
  bool Batch = false;        ///< for consecutive launches in Stream
  uint64_t MostLaunches = 0; ///< of a batch
  CUstream Stream = nullptr;
  uint64_t MadeNs = 0;
  std::vector<CUevent> Pending;
  SlabPool::Block Copy;   ///< page-locked, while reading
  size_t ReadFrom = 0;    ///< where the copy is from: large contexts are read in parts
  size_t ReadBytes = 0;   ///< of this part
  bool OfReplays = false; ///< read between replays of a graph, which keeps the memory
};

struct ContextLimits {
  size_t Bytes =
      size_t(64) << 20;     ///< of device memory; for the first of a shape, four times as much
  size_t Outstanding = 256; ///< contexts in use
  /// Where launches could share one only at a cost; each launch goes through all of them.
  size_t MostOutstanding = 1024;
  size_t PartBytes = SIZE_MAX;          ///< that are read at a time
  size_t CopyBytes = size_t(256) << 20; ///< of page-locked memory
  uint64_t SingleLaunches = 64;         ///< of a kernel, with contexts of their own
  uint64_t BatchLaunches = 1024;        ///< in one context, at most
  uint64_t BatchNs = 100'000'000;
  size_t LargeBytes = SIZE_MAX; ///< contexts with more are large
  size_t LargeOutstanding = 2;  ///< of launches that could share one
  uint64_t LargeBatchNs = 5'000'000'000;
  unsigned DrainShare = 4; ///< large contexts take up to one of so many parts of the time
  uint64_t DrainPatienceNs = 10'000'000'000; ///< without any progress
};

class LaunchContexts {
public:
  LaunchContexts(Device &D, Recorder &Log, ContextLimits Limits) : D(D), Log(Log), Limits(Limits) {}
  virtual ~LaunchContexts() = default;
  LaunchContexts(const LaunchContexts &) = delete;
  LaunchContexts &operator=(const LaunchContexts &) = delete;

  /// The launch is in Stream. Case: its number in the log, where C is shared by several. Not for
  /// contexts of graphs.
  void launched(LaunchContext *C, CUstream Stream, uint64_t Case = 0);
  /// There was no launch.
  void abandoned(LaunchContext *C);

  /// Before a graph is launched into Stream: its contexts have to be zero.
  void beforeGraphLaunch(CUstream Stream, bool Capturing);
  /// The graph was launched into Stream, replaying these contexts, or perhaps, if they are in
  /// bodies.
  void graphLaunched(std::span<const uint64_t> ContextIds, CUstream Stream);
  /// After each beforeGraphLaunch().
  void afterGraphLaunch();
  /// The graph's context with this GraphKey, or null.
  LaunchContext *findGraphContext(uint64_t Key);

  /// The handle may soon be that of another stream.
  void streamDestroyed(CUstream Stream);

  /// While the program waits anyway: takes the next step of all contexts.
  void poll();
  /// Finishes the contexts whose launches have ended, but for young batches, or,
  /// with All, for those too.
  void finishEnded(bool All = false);
  /// Finishes all contexts, those of graphs too, which must not be launched any
  /// more. Waits for running launches as long as some still end.
  void drain();

protected:
  /// A context for a launch into Stream. Null, and Why set, if there is no memory
  /// for one. launched() or abandoned() must follow.
  LaunchContext *acquire(const ContextShape &Shape, CUstream Stream, bool Capturing,
                         std::string &Why);

  /// A new context with memory that is zero, or null if there is none. Spare: nothing
  /// that the launch could share is there, take more than usual. With the lock held.
  virtual std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) = 0;
  /// Whether launches of this shape can count there.
  virtual bool fits(const LaunchContext &C, const ContextShape &Shape) const = 0;
  /// How many launches one after the other may count in one context.
  virtual uint64_t mostLaunches(const ContextShape &) const { return Limits.BatchLaunches; }
  /// Of the memory that the context of such a launch counts in.
  virtual size_t counterBytes(const ContextShape &) const { return 0; }
  /// Gives the memory back, which is zero again. With the lock held.
  virtual void release(LaunchContext &C) = 0;
  /// Of a context in a body: how many launches these counts, which begin where C's do, are of.
  virtual uint64_t launchesIn(const LaunchContext &C, std::span<const std::byte>) const {
    return C.Launches;
  }
  /// Enqueues what is to be done behind each launch. With the lock held.
  virtual void follow(const LaunchContext &, CUstream) {}
  /// Records the counts in C.Copy, which are those from C.ReadFrom on. Without the lock:
  /// it takes a while.
  virtual void emit(const LaunchContext &C, std::span<const std::byte> Counts) = 0;
  /// For reading the context of a graph between two replays; null where counts do not
  /// suffer from a third replay. With the lock held.
  virtual std::unique_ptr<LaunchContext> copyOf(const LaunchContext &) const { return nullptr; }
  /// Has Bytes bytes copied to C.Copy in a stream: those from C.ReadFrom on. With the lock held.
  virtual CUresult copyPart(const LaunchContext &C, size_t Bytes, CUstream In);
  /// Where reading ends, as far as the parts before tell.
  virtual size_t endOfCounts(const LaunchContext &C) const { return C.Bytes; }
  /// Reading zeroes the memory; else release() does.
  virtual bool zeroedByReading() const { return true; }
  /// Whether there is so little memory left that large contexts have to be read, whatever that
  /// takes. With the lock held.
  virtual bool isCrowded() { return false; }
  /// Whether so much memory is in use that large contexts have to be read while the program waits:
  /// launches should not have to. With the lock held.
  virtual bool isFilling() { return false; }
  /// Makes memory for launches to come ready.
  virtual void prepare() {}
  /// Waits for work on the device that would slow down launches to come.
  virtual void settle() {}
  /// All parts have been emitted. With the lock held.
  virtual void emitted(const LaunchContext &) {}

  Device &D;
  Recorder &Log;
  const ContextLimits Limits;
  std::mutex &Lock = D.lock(); ///< the device's memory and events are taken with it held

private:
  using ContextList = std::list<std::unique_ptr<LaunchContext>>;

  struct Steps {
    size_t Max;
    bool All;   ///< young batches too
    bool Large; ///< large contexts too
  };
  Steps steps(size_t Max, bool All) const {
    return {Max, All, All || DrainNs * Limits.DrainShare <= steadyNs() - StartNs};
  }
  /// Returns whether anything was there to be done.
  bool step(Steps S);
  bool isLarge(const LaunchContext &C) const { return C.Bytes > Limits.LargeBytes; }

  // With the lock held:
  LaunchContext *create(const ContextShape &Shape, bool Spare);
  LaunchContext *share(const ContextShape &Shape, uint64_t Most);
  /// Success when all have passed, not ready, or broken. Gives passed events back.
  CUresult query(std::vector<CUevent> &Events);
  /// Reads what graphs counted, while none runs.
  void readReplays();
  /// Contexts of graphs become ordinary ones when no graph runs any more.
  void retireGraphs();
  size_t nextPartBytes(const LaunchContext &C) const;
  CUresult startReading(LaunchContext &C);
  void stepReading(Steps S, ContextList &Done);
  /// Returns whether the reading of any begins.
  bool stepCounting(Steps S);
  bool isOpen(const LaunchContext &C, uint64_t Now) const;
  size_t outstanding(const ContextShape &Shape) const;
  LaunchContext *openBatch(const ContextShape &Shape, CUstream Stream);
  void lose(const LaunchContext &C, const std::string &Why);

  ContextList Counting, Reading, InGraphs;
  std::unordered_map<uint64_t, LaunchContext *> GraphContextByKey, GraphContextById;
  std::vector<CUevent> GraphLaunches;
  unsigned LaunchingGraphs = 0; ///< without an event in GraphLaunches yet
  std::unordered_map<uint32_t, uint64_t> LaunchesOfKernel;
  const uint64_t StartNs = steadyNs();
  std::atomic<uint64_t> DrainNs = 0; ///< that large contexts took to be recorded
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHCONTEXTS_H
