//===- CloneTime.h - How long making clones may take ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that launches hundreds of kernels a few times each (an autotuner) would wait for their
// clones most of the time. After some seconds, only kernels whose launches repeat therefore get
// clones; once making clones has taken longer than allowed, further kernels run without. Later runs
// find the clones that were made in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_CLONETIME_H
#define GMPROF_HOST_LAUNCH_CLONETIME_H

#include <atomic>
#include <chrono>
#include <string>

namespace gmprof::host {

class CloneTime {
public:
  using Clock = std::chrono::steady_clock;

  /// Kernels that get clones at their first launch, however long that takes.
  static constexpr size_t FirstKernels = 8;
  /// Launches from which a kernel's clones do not wait for another one.
  static constexpr uint64_t RepeatedLaunches = 3;

  /// Takes the time of the run's begin. FirstLaunchSeconds: that making clones may have taken when
  /// a kernel gets them at its first launch.
  CloneTime(unsigned AllowedSeconds, unsigned FirstLaunchSeconds,
            Clock::time_point Begin = Clock::now())
      : Allowed(AllowedSeconds), AllowedFirst(FirstLaunchSeconds), Begin(Begin) {}

  /// Adds what happens in its scope to the time that was spent.
  class Spending {
  public:
    explicit Spending(CloneTime &Of) : Of(Of) {}
    ~Spending() { Of.add(Clock::now() - Begin); }
    Spending(const Spending &) = delete;
    Spending &operator=(const Spending &) = delete;

  private:
    CloneTime &Of;
    const Clock::time_point Begin = Clock::now();
  };

  void add(Clock::duration Taken) { Spent.fetch_add(Taken.count(), std::memory_order_relaxed); }

  /// Returns why no further clones are made, or an empty string: making clones has taken more than
  /// the allowed seconds, and more than a quarter of the run.
  std::string exceeded(Clock::time_point Now = Clock::now()) const {
    const Clock::duration Taken(Spent.load(std::memory_order_relaxed));
    if (Taken <= Allowed || Taken * 4 <= Now - Begin)
      return "";
    return "making clones took more than " + std::to_string(Allowed.count()) +
           " s (--clone-seconds; the next run finds those that were made)";
  }

  /// Returns why a kernel's clones wait for further launches of it, or an empty string. Kernels:
  /// with other names, that have got clones. Launches: of the kernel, with the one that begins.
  std::string awaitsLaunches(size_t Kernels, uint64_t Launches) const {
    if (Launches >= RepeatedLaunches || Kernels < FirstKernels ||
        Clock::duration(Spent.load(std::memory_order_relaxed)) < AllowedFirst)
      return "";
    return "fewer than " + std::to_string(RepeatedLaunches) +
           " launches, and clones of other kernels had taken " +
           std::to_string(AllowedFirst.count()) + " s (--first-launch-seconds)";
  }

private:
  const std::chrono::seconds Allowed, AllowedFirst;
  const Clock::time_point Begin;
  std::atomic<Clock::rep> Spent{0};
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONETIME_H
