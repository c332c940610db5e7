//===- LaunchProfiler.h - What a profile does with launches -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch.cpp and Graphs.cpp launch kernels; what differs between profiles is behind this interface.
// The folder of each profile implements it; gmprof/profiles.def names the function that makes it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHPROFILER_H
#define GMPROF_HOST_LAUNCH_LAUNCHPROFILER_H

#include "gmprof/trace.h"
#include "host/launch/KernelModule.h"
#include "host/launch/Kernels.h"
#include "host/launch/LaunchContexts.h"
#include <cstring>
#include <cuda_runtime_api.h>
#include <memory>
#include <optional>

namespace gmprof::host {

class Session;

/// A launch, whatever function of CUDA makes it.
struct LaunchRequest {
  const void *Symbol;
  dim3 Grid, Block;
  void **Args;
  size_t DynamicShared; ///< bytes
  CUstream Stream;
  const cudaLaunchAttribute *Attributes = nullptr;
  unsigned AttributeCount = 0;
  KernelHandle Handle = KernelHandle::Stub; ///< what Symbol is
  const void *Caller = nullptr;             ///< GMPROF_CALLER; null: unknown
  const char *OwnOnly = nullptr;            ///< not null: why no clone can take its place

  uint64_t blocks() const { return uint64_t(Grid.x) * Grid.y * Grid.z; }
  uint64_t threads() const { return uint64_t(Block.x) * Block.y * Block.z; }
  bool cooperative() const;
  LaunchInput input() const {
    return {{Grid.x, Grid.y, Grid.z}, {Block.x, Block.y, Block.z}, Args};
  }
};

/// A clone's trailing parameter: the bytes of its profile's struct of gmprof/abi.h.
class CloneParameter {
public:
  template <typename Launch>
    requires std::is_trivially_copyable_v<Launch>
  CloneParameter(const Launch &L) : Words((sizeof(Launch) + 7) / 8) {
    static_assert(alignof(Launch) <= alignof(uint64_t));
    std::memcpy(Words.data(), &L, sizeof(Launch));
  }
  void *data() { return Words.data(); }

private:
  std::vector<uint64_t> Words;
};

/// The counters of one launch's clone.
class CloneCounters {
public:
  virtual ~CloneCounters() = default;

  /// Returns a context for the launch, see LaunchContexts::acquire. Launch: LaunchRecord::id.
  virtual LaunchContext *acquire(const LaunchRequest &R, uint64_t Launch, bool Capturing,
                                 std::string &Why) = 0;
  virtual CloneParameter parameter(const LaunchContext &C) const = 0;
  /// Returns whether the launch, a node of a graph, can count in C, which the node has had before.
  virtual bool countsIn(const LaunchContext &) const { return false; }
  /// Returns LaunchRecord::context; 0 if the counts name their launches.
  virtual uint64_t logContext(const LaunchContext &C) const { return C.Id; }
  /// Returns the case for LaunchContexts::launched if launches share contexts; else 0.
  virtual uint64_t caseInContext() const { return 0; }
  /// Follows the launch of the clone, or its addition to a graph.
  virtual void started() const {}
  /// Follows the record of the launch in the log.
  virtual void recorded(LaunchContext &, uint64_t /*Launch*/) const {}
};

/// The context of a launch that closed forms describe, so that no clone has to count.
struct FormsContext {
  uint64_t Context = 0; ///< LaunchRecord::context; 0: a clone has to count
  log::LaunchMode Mode = log::LaunchMode::Plain;
};

class LaunchProfiler;

/// A way to run a launch.
struct LaunchPlan {
  log::LaunchMode Mode = log::LaunchMode::Plain;
  Clone *Run = nullptr;                    ///< null: the program's own kernel
  std::unique_ptr<CloneCounters> Counters; ///< of the clone
  uint32_t DynamicShared = 0;              ///< of the clone, bytes
  /// Not 0: the launch is profiled without a clone, and this is LaunchRecord::context.
  uint64_t KnownContext = 0;
  std::string Why; ///< why the program's own kernel runs, unprofiled
  /// The mode of the launch if its clone cannot run: it counts as profiled, with less data.
  /// Nothing: it is refused then.
  std::optional<log::LaunchMode> ModeWithoutClone;
  bool AwaitsClone = false;           ///< a clone that it wants is still being made
  bool HasFallback = false;           ///< LaunchToPlan::Fallback gives another plan
  bool LacksRanges = false;           ///< live ranges are wanted, but have no room in shared memory
  LaunchProfiler *Profiler = nullptr; ///< of the clone
  /// Contexts of further profiles in which the launch counts without a clone.
  std::vector<FormsContext> Forms = {};

  static LaunchPlan refused(std::string Why);
  /// Returns the plan of a launch whose clone is still being made.
  static LaunchPlan awaitingClone();
  /// Returns true if the launch is profiled, by a clone or without one.
  bool counts() const { return Run || KnownContext != 0; }
  /// Profiles the launch without a clone.
  void countIn(const FormsContext &C) {
    Mode = C.Mode;
    KnownContext = C.Context;
  }
  /// Returns LaunchRecord::context of a launch that is profiled without a clone; else 0.
  uint64_t contextWithoutClone() const { return Run ? 0 : KnownContext; }
};

struct LaunchToPlan {
  Kernel &K;
  const LaunchRequest &R;
  const std::shared_ptr<const LaunchObjects> &Objects; ///< what it accesses, as far as is known
  LaunchPlace Place = LaunchPlace::Stream;
  bool Fallback = false; ///< the clone of the first plan could not run
};

/// One profile of the run on one device. LaunchProfilers.h makes and asks all of them.
class LaunchProfiler {
public:
  LaunchProfiler(Session &S, Device &D) : S(S), D(D) {}
  virtual ~LaunchProfiler() = default;
  LaunchProfiler(const LaunchProfiler &) = delete;
  LaunchProfiler &operator=(const LaunchProfiler &) = delete;

  virtual LaunchContexts &contexts() = 0;

  /// Returns the position in Kernel::ByProfile.
  size_t index() const { return Index; }
  /// Returns the pass's name of the clones that the profile runs; null if it runs none.
  virtual const char *cloneProfile() const = 0;
  /// Returns true if the profile needs the descriptors of the device functions that kernels call.
  virtual bool needsFunctions() const { return false; }
  /// Returns true if the profile records all launches, sampled or not, and its clones are optional.
  virtual bool recordsEveryLaunch() const { return false; }
  /// Finds the clones of a kernel, which has been loaded from the module.
  virtual std::unique_ptr<KernelClones> prepare(const Kernel &K, const KernelModule &Module,
                                                const profile::Descriptor &Desc) = 0;

  /// Decides how to run a launch. Why: why no clone can run; empty if one can.
  virtual LaunchPlan plan(const LaunchToPlan &L, std::string Why) = 0;

  /// Returns in which context a launch of the program's own kernel counts if closed forms describe
  /// the whole launch. InGraph: of a graph's node; nodes with equal launches have equal contexts.
  virtual FormsContext contextOfOriginal(Kernel &, const LaunchInput &, uint32_t /*DynamicShared*/,
                                         bool /*InGraph*/) {
    return {};
  }
  /// Returns the offset of LaunchContext::GraphKey in the clone's parameter, in bytes.
  virtual size_t graphKeyOffset() const = 0;
  /// Returns LaunchRecord::context of a graph's node that counts in C; 0 if counts name their
  /// launches.
  virtual uint64_t logContext(const LaunchContext &C) const { return C.Id; }
  /// Returns the dynamic shared memory that the program asked for. OfClone: that of the clone.
  virtual uint32_t dynamicShared(const LaunchContext &, uint32_t OfClone) const { return OfClone; }

  /// Precedes the release of an object.
  virtual void objectReleased(uint64_t /*Object*/) {}
  /// Precedes the unloading of a module with kernels.
  virtual void moduleUnloading() {}
  /// Gives device memory back, for the program. Returns whether there was any.
  virtual bool giveBackMemory() { return false; }
  /// Returns the peak of the device memory of counters, without that of Device::memory().
  virtual size_t peakBytes() const { return 0; }
  /// Waits for what runs and records all that it counted.
  void finish();

protected:
  /// Returns the kernel's clones of this profile, of the type that prepare() returned.
  template <typename Clones> Clones &clonesOf(const Kernel &K) const {
    return static_cast<Clones &>(*K.ByProfile[Index]);
  }

  /// Records what is left to say once all contexts are read.
  virtual void finishRecords() {}

  /// Blocks of a launch that count, by the option block-sample.
  enum class BlockSample {
    Blocks, ///< each N-th block counts
    Whole,  ///< all blocks count
    None,   ///< no block counts: the plan is notInBlockSample()
  };
  BlockSample blockSampleOf(const LaunchToPlan &L, const LaunchPlan &P) const;
  LaunchPlan notInBlockSample() const;

  /// Returns the plan of a launch that this clone runs outside of graphs, or a refused one. Why:
  /// why it is refused already; empty: it is not.
  LaunchPlan planOutsideGraphs(Clone &Run, const LaunchToPlan &L, std::string Why) const;

  /// Loads the plan's clone if it is not. Returns why it cannot run with this launch's
  /// configuration; empty if it can.
  std::string checkFit(const LaunchPlan &P, const LaunchToPlan &L) const;
  /// Returns how many blocks of the launch an SM holds at a time; 0 if that is not known.
  uint32_t blocksPerSm(CUfunction Function, const LaunchRequest &R, size_t DynamicShared) const;

  Session &S;
  Device &D;

private:
  friend class LaunchProfilers;
  size_t Index = 0;

  bool runsAtOnce(const LaunchPlan &P, const LaunchRequest &R) const;
};

/// Returns the bytes of shared memory, static and dynamic, of a block of the program's kernel.
/// Dynamic shared memory begins behind the static variables at its alignment, at most 128 bytes.
inline uint32_t sharedBytesOfBlock(const Kernel &K, uint32_t DynamicShared) {
  return (K.StaticShared + 127) / 128 * 128 + DynamicShared;
}

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHPROFILER_H
