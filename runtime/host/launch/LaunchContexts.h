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
#include "profile/Mutex.h"
#include <atomic>
#include <list>
#include <map>
#include <span>
#include <unordered_map>

namespace gmprof::host {

/// Properties that launches must share to count in one context; derived classes add some.
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
  /// Replays of a graph's context. For a node in a conditional body: replays of the graph, until
  /// the executions of the node are known.
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
  /// Limit of contexts in use if sharing one costs time. Each launch iterates over all of them.
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

  /// Reports that the launch is in Stream. Case: its number in the log if several cases share C.
  /// Not for contexts of graphs.
  void launched(LaunchContext *C, CUstream Stream, uint64_t Case = 0);
  /// Reports that the launch did not take place.
  void abandoned(LaunchContext *C);

  /// Prepares for the launch of a graph into Stream: its contexts must be zero.
  void beforeGraphLaunch(CUstream Stream, bool Capturing);
  /// Reports that a graph was launched into Stream. It replays these contexts; those in conditional
  /// bodies only if the bodies run.
  void graphLaunched(std::span<const uint64_t> ContextIds, CUstream Stream);
  /// Must follow each beforeGraphLaunch().
  void afterGraphLaunch();
  /// Returns the graph's context with this GraphKey, or null.
  LaunchContext *findGraphContext(uint64_t Key);

  /// Forgets a stream, whose handle may soon name another one.
  void streamDestroyed(CUstream Stream);

  /// Takes the next step of all contexts, while the program waits.
  void poll();
  /// Finishes the contexts whose launches have ended, except for young batches; with All, those
  /// too.
  void finishEnded(bool All = false);
  /// Finishes all contexts, also those of graphs, which must not be launched any more. Waits for
  /// running launches while some still end.
  void drain();

protected:
  /// Returns a context for a launch into Stream; null, with Why set, if there is no memory for one.
  /// launched() or abandoned() must follow.
  LaunchContext *acquire(const ContextShape &Shape, CUstream Stream, bool Capturing,
                         std::string &Why);

  /// Returns a new context whose memory is zero, or null if there is no memory. Spare: the launch
  /// has no context to share, so more memory than usual may be taken.
  virtual std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare)
      GMPROF_REQUIRES(Lock) = 0;
  /// Returns whether launches of this shape can count in C.
  virtual bool fits(const LaunchContext &C, const ContextShape &Shape) const = 0;
  /// Returns the number of consecutive launches that may count in one context.
  virtual uint64_t mostLaunches(const ContextShape &) const { return Limits.BatchLaunches; }
  /// Returns the bytes of counters in the context of such a launch.
  virtual size_t counterBytes(const ContextShape &) const { return 0; }
  /// Releases the context's memory, which is zero again.
  virtual void release(LaunchContext &C) GMPROF_REQUIRES(Lock) = 0;
  /// Returns the number of launches that contributed to the counts of a node in a conditional body.
  virtual uint64_t launchesIn(const LaunchContext &C, std::span<const std::byte>) const {
    return C.Launches;
  }
  /// Enqueues work behind a launch.
  virtual void follow(const LaunchContext &, CUstream) GMPROF_REQUIRES(Lock) {}
  /// Records the counts in C.Copy, which begin at C.ReadFrom. Without the lock, since it takes
  /// long.
  virtual void emit(const LaunchContext &C, std::span<const std::byte> Counts) = 0;
  /// Returns a copy for reading the context of a graph between two replays; null if another replay
  /// does not spoil the counts.
  virtual std::unique_ptr<LaunchContext> copyOf(const LaunchContext &) const GMPROF_REQUIRES(Lock) {
    return nullptr;
  }
  /// Enqueues a copy of Bytes bytes, from C.ReadFrom on, to C.Copy.
  virtual CUresult copyPart(const LaunchContext &C, size_t Bytes, CUstream In)
      GMPROF_REQUIRES(Lock);
  /// Returns the end of the counts, as far as the parts that were read tell.
  virtual size_t endOfCounts(const LaunchContext &C) const { return C.Bytes; }
  /// Returns whether reading zeroes the memory; otherwise release() does.
  virtual bool zeroedByReading() const { return true; }
  /// Returns whether memory is so short that large contexts must be read at any cost.
  virtual bool isCrowded() GMPROF_REQUIRES(Lock) { return false; }
  /// Returns whether so much memory is in use that large contexts should be read while the program
  /// waits, so that launches need not read them.
  virtual bool isFilling() GMPROF_REQUIRES(Lock) { return false; }
  /// Prepares memory for later launches.
  virtual void prepare() {}
  /// Waits for work on the device that would slow down later launches.
  virtual void settle() {}
  /// Does what is left when all parts have been emitted.
  virtual void emitted(const LaunchContext &) GMPROF_REQUIRES(Lock) {}

  Device &D;
  Recorder &Log;
  const ContextLimits Limits;
  Mutex &Lock = D.lock(); ///< the device's memory and events are taken with it held

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
  /// Returns whether there was anything to do.
  bool step(Steps S);
  bool isLarge(const LaunchContext &C) const { return C.Bytes > Limits.LargeBytes; }

  LaunchContext *create(const ContextShape &Shape, bool Spare) GMPROF_REQUIRES(Lock);
  LaunchContext *share(const ContextShape &Shape, uint64_t Most) GMPROF_REQUIRES(Lock);
  /// Returns success if all events have passed, CUDA_ERROR_NOT_READY, or the device's error.
  /// Returns passed events to the pool.
  CUresult query(std::vector<CUevent> &Events) GMPROF_REQUIRES(Lock);
  /// Reads the contexts of graphs while no graph runs.
  void readReplays() GMPROF_REQUIRES(Lock);
  /// Contexts of graphs become ordinary ones when no graph runs any more.
  void retireGraphs() GMPROF_REQUIRES(Lock);
  size_t nextPartBytes(const LaunchContext &C) const GMPROF_REQUIRES(Lock);
  CUresult startReading(LaunchContext &C) GMPROF_REQUIRES(Lock);
  void stepReading(Steps S, ContextList &Done) GMPROF_REQUIRES(Lock);
  /// Returns whether the reading of a context begins.
  bool stepCounting(Steps S) GMPROF_REQUIRES(Lock);
  bool isOpen(const LaunchContext &C, uint64_t Now) const GMPROF_REQUIRES(Lock);
  size_t outstanding(const ContextShape &Shape) const GMPROF_REQUIRES(Lock);
  LaunchContext *openBatch(const ContextShape &Shape, CUstream Stream) GMPROF_REQUIRES(Lock);
  void lose(const LaunchContext &C, const std::string &Why) GMPROF_REQUIRES(Lock);

  ContextList Counting GMPROF_GUARDED_BY(Lock), Reading GMPROF_GUARDED_BY(Lock),
      InGraphs GMPROF_GUARDED_BY(Lock);
  std::unordered_map<uint64_t, LaunchContext *>
      GraphContextByKey GMPROF_GUARDED_BY(Lock), GraphContextById GMPROF_GUARDED_BY(Lock);
  std::vector<CUevent> GraphLaunches GMPROF_GUARDED_BY(Lock);
  unsigned LaunchingGraphs GMPROF_GUARDED_BY(Lock) = 0; ///< without an event in GraphLaunches yet
  std::unordered_map<uint32_t, uint64_t> LaunchesOfKernel GMPROF_GUARDED_BY(Lock);
  const uint64_t StartNs = steadyNs();
  std::atomic<uint64_t> DrainNs = 0; ///< that large contexts took to be recorded
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHCONTEXTS_H
