//===- HitContexts.h - Which objects launches accessed ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch contexts (LaunchContexts.h) of the profile of objects: the hits of K__gm_objects
// (GmprofObjectsLaunch). A launch's take a few bytes, so a context has hits of many
// launches of a kernel, one after the other in a stream, which are read together; but each
// launch has its own. Behind them is the table of what is searched:
//
//   hits of launch 0 | hits of launch 1 | … || ranges of memory
//
// What is left of the bar is zeroed before use, and read afterwards. Of a graph's
// kernel node, all replays set the same hits.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HITS_HITCONTEXTS_H
#define GMPROF_HOST_HITS_HITCONTEXTS_H

#include "host/launch/KernelAccesses.h"
#include "host/launch/LaunchContexts.h"

namespace gmprof::host {

struct HitContext : LaunchContext {
  struct Slot {
    uint64_t Launch = 0; ///< LaunchRecord::id; 0: there was none
    std::shared_ptr<const LaunchObjects> Objects;
  };
  std::vector<Slot> Slots;
  std::atomic<size_t> Taken = 0; ///< slots
  std::shared_ptr<const MemoryRanges> Ranges;
  uint32_t FlagBytes = 0;
  uint32_t Replicas = 1, ReplicaShift = 0;
  /// The table of ranges on the device, and its page-locked copy.
  SlabPool::Block Table, TableCopy;

  size_t slotBytes() const { return size_t(Replicas) << ReplicaShift; }
};

class HitContexts : public LaunchContexts {
public:
  HitContexts(Device &D, Recorder &Log, AccessSets &Sets, ContextLimits Limits = limits())
      : LaunchContexts(D, Log, Limits), Sets(Sets) {}

  static ContextLimits limits();

  /// Returns a context, and in Slot the place in it, for the hits of a launch of so many blocks;
  /// see LaunchContexts::acquire.
  LaunchContext *acquire(uint32_t Kernel, bool InGraph,
                         const std::shared_ptr<const LaunchObjects> &Objects, uint64_t Blocks,
                         CUstream Stream, bool Capturing, size_t &Slot, std::string &Why);
  GmprofObjectsLaunch parameter(const LaunchContext &C, size_t Slot) const;
  /// Reports that the launch is in the log. Must precede launched().
  static void recorded(LaunchContext &C, size_t Slot, uint64_t Launch);

  /// Records what is left to say. After drain().
  void finish();

private:
  struct Wanted : ContextShape {
    std::shared_ptr<const LaunchObjects> Objects;
    uint64_t Blocks = 0;
  };

  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &C, const ContextShape &Shape) const override;
  uint64_t mostLaunches(const ContextShape &Shape) const override;
  void release(LaunchContext &C) override;
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;

  bool uploadTable(HitContext &C);

  AccessSets &Sets;
  std::atomic<uint64_t> Outside = 0; ///< launches that accessed unknown memory
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HITS_HITCONTEXTS_H
