//===- CodeLaunches.h - Launches of a kernel's code -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries such as cuDNN load the same module again for each use. Samples are taken of all
// launches of one code: else each load would be a kernel whose first launches are profiled.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_CODELAUNCHES_H
#define GMPROF_HOST_LAUNCH_CODELAUNCHES_H

#include <atomic>
#include <cstdint>
#include <vector>

namespace gmprof::host {

struct CodeLaunches {
  explicit CodeLaunches(size_t Profiles) : ClonesRun(Profiles) {}

  /// Kernel::Id of all kernels that await these launches; 0: none does.
  uint32_t AwaitingKernel = 0;

  /// Counts a launch. Returns its number: 1, 2, …
  uint64_t next() { return Launches.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Returns the number of launches.
  uint64_t count() const { return Launches.load(std::memory_order_relaxed); }
  /// Counts a launch of a profile's clone.
  void cloneRan(size_t Profile) { ClonesRun[Profile].fetch_add(1, std::memory_order_relaxed); }
  uint64_t clonesRun(size_t Profile) const {
    return ClonesRun[Profile].load(std::memory_order_relaxed);
  }

private:
  std::atomic<uint64_t> Launches{0};
  std::vector<std::atomic<uint64_t>> ClonesRun; ///< by LaunchProfiler::index()
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CODELAUNCHES_H
