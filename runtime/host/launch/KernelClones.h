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

  bool NothingToProfile = false; ///< the kernel accesses nothing that the profile records
  std::string NeverProfiled;     ///< why the profile never records the kernel; empty: it does
  std::atomic<uint64_t> BlockSamples{0}; ///< launches whose blocks all run at a time
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELCLONES_H
