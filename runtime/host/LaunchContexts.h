//===- LaunchContexts.h - The counters of each launch -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch context is the device memory that a launch counts in: layout, sums,
// capped, totals (gmprof/abi.h). Each launch gets one of its own, so that concurrent
// streams do not mix. Its life:
//
//   counting   A launch runs, or may: an event follows each launch.
//   reading    All events have passed: the memory is being copied to the host and
//              zeroed again, on a stream of ours.
//   done       The counts go to the event log, the memory back to the pool.
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
// A graph's kernel nodes keep their contexts until drain(), because a graph can
// be launched again as long as it or a copy of it lives.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCHCONTEXTS_H
#define GMPROF_HOST_LAUNCHCONTEXTS_H

#include "gmprof/abi.h"
#include "host/Device.h"
#include <list>
#include <unordered_map>

namespace gmprof::host {

/// Launches of one shape can share a context.
struct LaunchShape {
  uint32_t Kernel = 0;
  uint32_t Words = 0;
  uint32_t VariableCount = 0;
  uint32_t DynamicShared = 0; ///< the program's own, bytes
  uint32_t CounterOffset = 0; ///< as in GmprofSharedLaunch
  uint32_t CounterBytes = 0;
  bool DeviceCounters = false; ///< counted in device memory
  bool InGraph = false;

  bool operator==(const LaunchShape &) const = default;
};

struct LaunchContext {
  uint64_t Id = 0;
  LaunchShape Shape;
  uint32_t Replicas = 1;
  SlabPool::Block Memory;
  uint64_t Launches = 0;  ///< of a graph's context: replays
  unsigned Launching = 0; ///< launches that have not recorded their event yet; nodes of graphs
  bool Unseen = false;    ///< the end of a launch cannot be seen
  bool Batch = false;     ///< for consecutive launches in Stream
  CUstream Stream = nullptr;
  uint64_t MadeNs = 0;
  std::vector<CUevent> Pending;
  SlabPool::Block Copy; ///< page-locked, while reading

  size_t sumsOffset() const;
  size_t cappedOffset() const;
  size_t totalsOffset() const;
  size_t bytes() const;
};

struct ContextLimits {
  size_t Bytes =
      size_t(64) << 20;     ///< of device memory; for the first of a shape, four times as much
  size_t Outstanding = 256; ///< contexts in use
  size_t ReplicaBytes = 512 << 10; ///< of the counters of one context
  uint32_t Replicas = 32;
  uint64_t SingleLaunches = 64;  ///< of a kernel, with contexts of their own
  uint64_t BatchLaunches = 1024; ///< in one context, at most
  uint64_t BatchNs = 100'000'000;
  uint64_t DrainPatienceNs = 10'000'000'000; ///< without any progress
};

class LaunchContexts {
public:
  LaunchContexts(Device &D, Recorder &Log, unsigned BlockSample, ContextLimits Limits = {})
      : D(D), Log(Log), BlockSample(BlockSample), Limits(Limits) {}

  /// A context for a launch of so many blocks into Stream. Null, and Why set, if
  /// there is no memory for one. launched() or abandoned() must follow.
  LaunchContext *acquire(const LaunchShape &Shape, uint64_t Blocks, CUstream Stream, bool Capturing,
                         std::string &Why);
  GmprofSharedLaunch parameter(const LaunchContext &C) const;
  /// The launch is in Stream. Not for contexts of graphs.
  void launched(LaunchContext *C, CUstream Stream);
  /// There was no launch.
  void abandoned(LaunchContext *C);

  /// Before a graph is launched into Stream: its contexts have to be zero.
  void beforeGraphLaunch(CUstream Stream, bool Capturing);
  /// A graph was launched into Stream, replaying these contexts.
  void graphLaunched(std::span<const uint64_t> ContextIds, CUstream Stream);
  /// The graph's context whose sums are there, or null.
  LaunchContext *findGraphContext(uint64_t Sums);

  /// The handle may soon be that of another stream.
  void streamDestroyed(CUstream Stream);

  /// Takes the next step of up to Max contexts.
  void poll(size_t Max = SIZE_MAX, bool All = false);
  /// Finishes the contexts whose launches have ended, but for young batches, or,
  /// with All, for those too.
  void finishEnded(bool All = false);
  /// Finishes all contexts, those of graphs too, which must not be launched any
  /// more. Waits for running launches as long as some still end.
  void drain();

  size_t deviceBytes() const;

private:
  using ContextList = std::list<std::unique_ptr<LaunchContext>>;

  // With the lock held:
  LaunchContext *create(const LaunchShape &Shape, uint64_t Blocks, size_t Budget);
  LaunchContext *share(const LaunchShape &Shape);
  /// Success when all have passed, not ready, or broken. Gives passed events back.
  CUresult query(std::vector<CUevent> &Events);
  /// Contexts of graphs become ordinary ones when no graph runs any more.
  void retireGraphs();
  CUresult startReading(LaunchContext &C);
  void stepReading(size_t &Max, ContextList &Done);
  void stepCounting(size_t Max, bool All);
  LaunchContext *openBatch(const LaunchShape &Shape, CUstream Stream);
  void lose(const LaunchContext &C, const std::string &Why);

  /// Without the lock: adding up replicas takes a while.
  void emit(const LaunchContext &C);

  Device &D;
  Recorder &Log;
  const unsigned BlockSample;
  const ContextLimits Limits;

  mutable std::mutex Lock;
  ContextList Counting, Reading, InGraphs;
  std::unordered_map<uint64_t, LaunchContext *> GraphContextBySums, GraphContextById;
  std::vector<CUevent> GraphLaunches;
  std::unordered_map<uint32_t, uint64_t> LaunchesOfKernel;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCHCONTEXTS_H
