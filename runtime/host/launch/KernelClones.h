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

struct Clone {
  CUfunction Function = nullptr; ///< null: there is none
  uint32_t MaxThreads = 0;
  uint32_t StaticShared = 0;     ///< bytes
  uint32_t MaxDynamicShared = 0; ///< bytes that the device has left for it
};

class KernelClones {
public:
  KernelClones() = default;
  virtual ~KernelClones() = default;
  KernelClones(const KernelClones &) = delete;
  KernelClones &operator=(const KernelClones &) = delete;

  /// Returns all clones, also those that the module does not have.
  virtual std::vector<const Clone *> all() const = 0;

  bool NothingToProfile = false; ///< the kernel accesses nothing that the profile records
  std::string NeverProfiled;     ///< why the profile never records the kernel; empty: it does
  std::atomic<uint64_t> ClonesRun{0};
  std::atomic<uint64_t> BlockSamples{0}; ///< launches whose blocks all run at a time
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELCLONES_H
