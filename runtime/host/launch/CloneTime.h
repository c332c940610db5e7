//===- CloneTime.h - How long making clones may take ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that launches hundreds of kernels a few times each (an autotuner) would wait for their
// clones most of the time. Once making clones has taken longer than allowed, further kernels run
// without. Later runs find the clones that were made in the cache.
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

  /// Takes the time of the run's begin.
  explicit CloneTime(unsigned AllowedSeconds, Clock::time_point Begin = Clock::now())
      : Allowed(AllowedSeconds), Begin(Begin) {}

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

private:
  const std::chrono::seconds Allowed;
  const Clock::time_point Begin;
  std::atomic<Clock::rep> Spent{0};
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONETIME_H
