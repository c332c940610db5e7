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

  /// The numbers of a launch: 1, 2, …
  struct Number {
    uint64_t All = 0;      ///< of all launches
    uint64_t Profiled = 0; ///< of those that did not await a clone; samples are taken of these
  };

  /// Kernel::Id of all kernels that await the clones of this code; 0: none does.
  uint32_t AwaitingKernel = 0;

  /// Counts a launch. Returns its number.
  Number next() {
    const uint64_t Before = Awaiting.load(std::memory_order_relaxed);
    const uint64_t All = Launches.fetch_add(1, std::memory_order_relaxed) + 1;
    return {All, All - Before};
  }
  /// Counts a launch as one that awaited a clone: the next one has its number.
  void awaitedClone() { Awaiting.fetch_add(1, std::memory_order_relaxed); }
  /// Returns the number of launches.
  uint64_t count() const { return Launches.load(std::memory_order_relaxed); }
  /// Counts a launch of a profile's clone.
  void cloneRan(size_t Profile) { ClonesRun[Profile].fetch_add(1, std::memory_order_relaxed); }
  uint64_t clonesRun(size_t Profile) const {
    return ClonesRun[Profile].load(std::memory_order_relaxed);
  }

private:
  std::atomic<uint64_t> Launches{0}, Awaiting{0};
  std::vector<std::atomic<uint64_t>> ClonesRun; ///< by LaunchProfiler::index()
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CODELAUNCHES_H
