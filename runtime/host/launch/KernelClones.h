//===- KernelClones.h - A kernel's clones for one profile -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each profile derives a class of its own from KernelClones, which holds its clones of a kernel and
// what it knows of the kernel (LaunchProfiler::prepare).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELCLONES_H
#define GMPROF_HOST_LAUNCH_KERNELCLONES_H

#include "host/launch/CloneWorker.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cuda.h>
#include <string>
#include <vector>

namespace gmprof::host {

/// A clone of a kernel. One that is made on demand is compiled before its first launch
/// (Kernels::loadClone): most kernels never run some of their clones.
struct Clone {
  /// Returns true if the kernel has this clone.
  explicit operator bool() const { return !Name.empty(); }

  std::string Name;          ///< empty: there is none
  size_t ParameterBytes = 0; ///< of its additional parameter

  /// Null: it is not loaded. Written after the others, as other threads may launch the kernel.
  std::atomic<CUfunction> Function = nullptr;
  uint32_t MaxThreads = 0;
  uint32_t StaticShared = 0;     ///< bytes
  uint32_t MaxDynamicShared = 0; ///< bytes that the device has left for it
  std::string Failure; ///< why it could not be loaded; empty: it can, or is not needed yet
  /// The job that loads it in the background, which its ClonesOnDemand keeps; null: none does.
  std::atomic<const CloneJob *> Loading = nullptr;

  /// Returns whether it is still being made.
  bool isAwaited() const {
    const CloneJob *Job = Loading;
    return Job && !Job->done();
  }
};

class KernelClones {
public:
  KernelClones() = default;
  virtual ~KernelClones() = default;
  KernelClones(const KernelClones &) = delete;
  KernelClones &operator=(const KernelClones &) = delete;

  /// Returns all clones, also those that the module does not have.
  virtual std::vector<Clone *> all() = 0;

  /// Forgets all clones: the profile never records the kernel.
  void removeAll() {
    for (Clone *Each : all()) {
      Each->Name.clear();
      Each->Function = nullptr;
    }
  }

  /// Returns whether a clone that a launch wanted is still being made.
  bool awaitsClone() {
    const std::vector<Clone *> All = all();
    return std::ranges::any_of(All, [](const Clone *Each) { return Each->isAwaited(); });
  }

  bool NothingToProfile = false; ///< the kernel accesses nothing that the profile records
  std::string NeverProfiled;     ///< why the profile never records the kernel; empty: it does
  std::atomic<uint64_t> BlockSamples{0}; ///< launches whose blocks all run at a time
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELCLONES_H
