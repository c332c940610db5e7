//===- Launch.h - Launches a kernel's clone in its place --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs the clone if the kernel has one, the launch is in the sample and
// there is room for the counters: in shared memory behind the program's own, else
// in device memory. In every other case, and whenever the driver refuses the
// clone, the program's own kernel is launched by the very call that the program
// made; so errors are the program's errors. Launches that cannot succeed are left
// to that call from the start.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCH_H
#define GMPROF_HOST_LAUNCH_LAUNCH_H

#include "host/cache/CacheContexts.h"
#include "host/heat/HeatContexts.h"
#include "host/launch/Kernels.h"
#include "host/shared/SharedContexts.h"
#include <cuda_runtime_api.h>

namespace gmprof::host {

struct DeviceState;
struct Options;
class Session;

/// What all forms of a launch have in common.
struct LaunchRequest {
  const void *Symbol;
  dim3 Grid, Block;
  void **Args;
  size_t DynamicShared;
  CUstream Stream;
  const cudaLaunchAttribute *Attributes = nullptr;
  unsigned AttributeCount = 0;
  KernelHandle Handle = KernelHandle::Stub; ///< what Symbol is
  const char *OwnOnly = nullptr;            ///< not null: why no clone can take its place

  uint64_t blocks() const { return uint64_t(Grid.x) * Grid.y * Grid.z; }
  uint64_t threads() const { return uint64_t(Block.x) * Block.y * Block.z; }
  bool cooperative() const;
};

/// A way to run a launch.
struct LaunchPlan {
  log::LaunchMode Mode = log::LaunchMode::Plain;
  const Clone *Run = nullptr; ///< null: the program's own kernel
  LaunchShape Shape;
  uint32_t DynamicShared = 0; ///< of the clone
  /// In the global profile, which the program's own kernel may be enough for.
  std::shared_ptr<const GlobalCase> Case;
  /// Not 0: the program's own kernel is profiled, there is nothing to count; this is
  /// the launch's context in the log.
  uint64_t KnownContext = 0;
  /// The clone notes which objects it accesses; where that is noted.
  std::shared_ptr<const LaunchObjects> Objects;
  size_t HitSlot = 0;
  /// What the clone that notes warps needs room for.
  std::optional<HeatShape> Heat;
  /// Or of the clone that records requests.
  std::optional<CacheShape> Cache;
  std::string Why;          ///< the program's own kernel runs, unprofiled
  bool WantsRanges = false; ///< to count live ranges, if there is room

  bool profiled() const { return Run || contextWithoutClone() != 0; }
  /// The launch's context in the log, if it is profiled without a clone; else 0.
  uint64_t contextWithoutClone() const { return Run ? 0 : Case ? Case->Context : KnownContext; }
  /// If its clone counts in C. Hits name their launches themselves.
  uint64_t contextWithClone(const LaunchContext &C) const {
    return Objects ? 0 : Case ? Case->Context : C.Id;
  }
};

/// A clone's trailing parameter.
union CloneParameter {
  GmprofSharedLaunch Shared;
  GmprofGlobalLaunch Global;
  GmprofObjectsLaunch Objects;
  GmprofHeatLaunch Heat;
  GmprofTraceLaunch Cache;
};

/// Counts the launch. Whether it is profiled, as far as kernel filter and sample
/// say; if not, Why is the reason.
bool wantsProfile(Kernel &K, const Options &O, std::string &Why);

/// What is known before this launch of the objects that it accesses.
std::shared_ptr<const LaunchObjects> objectsOf(Session &S, const DeviceState &D, const Kernel &K,
                                               const LaunchRequest &R);

/// In the profile of heat, what closed forms say of this launch; nothing if one does not hold.
std::optional<HeatCase> heatCaseOf(Session &S, const DeviceState &D, Kernel &K,
                                   const LaunchInput &L, uint32_t DynamicShared, bool InGraph);

/// How to profile this launch of the kernel. Objects: see objectsOf(). AllowShared: counters may
/// be in shared memory.
LaunchPlan planLaunch(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                      const std::shared_ptr<const LaunchObjects> &Objects, LaunchPlace Place,
                      bool AllowShared = true);

/// A context for the planned clone, see LaunchContexts::acquire; Why is the plan's.
LaunchContext *acquireContext(DeviceState &D, const Kernel &K, LaunchPlan &P,
                              const LaunchRequest &R, bool Capturing);
CloneParameter cloneParameter(const DeviceState &D, const LaunchPlan &P, const LaunchContext &C);

/// Counters in shared memory for a launch.
struct SharedCounterRoom {
  uint32_t Words, CounterOffset, CounterBytes;
  RangeShape Ranges;

  /// Of the launch's dynamic shared memory.
  uint32_t end() const { return CounterOffset + CounterBytes + Ranges.boundsBytes(); }
};
SharedCounterRoom sharedCounterRoom(uint32_t StaticShared, uint32_t DynamicShared,
                                    uint32_t CounterBits, uint32_t RangeVariables = 0);

/// The planned clone runs, or will in a graph.
void noteRangesCounted(Kernel &K, const LaunchPlan &P);

/// The program's call.
class PlainCall {
public:
  template <typename Callable>
  PlainCall(const Callable &Call)
      : Function([](const void *C) { return (*static_cast<const Callable *>(C))(); }),
        Context(&Call) {}
  cudaError_t operator()() const { return Function(Context); }

private:
  cudaError_t (*Function)(const void *);
  const void *Context;
};

/// The arguments of the program's kernel, then the clone's own.
std::vector<void *> cloneArgs(const Kernel &K, void **Args, CloneParameter &Parameter);

/// Launches the clone or calls Plain.
cudaError_t launchKernel(const LaunchRequest &R, PlainCall Plain);

/// The record of a launch, but for its mode and context.
log::LaunchRecord launchRecord(Session &S, const DeviceState &D, const Kernel &K,
                               const LaunchRequest &R, const LaunchObjects &Objects);

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCH_H
