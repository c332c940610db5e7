//===- CloneTime.h - How long making clones may take ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that launches hundreds of kernels a few times each (an autotuner) would wait for their
// clones most of the time. After some seconds, the clones of further kernels are therefore made in
// the background (CloneWorker.h). Nodes of graphs wait for theirs until that has taken longer than
// allowed. Later runs find the clones that were made in the cache.
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

  /// Kernels whose launches wait for clones, however long that takes.
  static constexpr size_t FirstKernels = 8;
  /// Why a launch runs the program's own kernel while its clones are made in the background.
  static constexpr const char *AwaitsClones =
      "its clones were still being made (a greater --first-launch-seconds has launches wait)";

  /// Takes the time of the run's begin. FirstLaunchSeconds: that launches may have waited for
  /// clones when those of a further kernel are made in the background.
  CloneTime(unsigned AllowedSeconds, unsigned FirstLaunchSeconds,
            Clock::time_point Begin = Clock::now())
      : Allowed(AllowedSeconds), AllowedFirst(FirstLaunchSeconds), Begin(Begin) {}

  /// Adds what happens in its scope, for which a launch waits, to the time that was spent.
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

  /// Returns whether launches wait for the clones of a further kernel. Kernels: with other names,
  /// that have got clones.
  bool launchesWait(size_t Kernels) const {
    return Kernels < FirstKernels ||
           Clock::duration(Spent.load(std::memory_order_relaxed)) < AllowedFirst;
  }

private:
  const std::chrono::seconds Allowed, AllowedFirst;
  const Clock::time_point Begin;
  std::atomic<Clock::rep> Spent{0};
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONETIME_H
