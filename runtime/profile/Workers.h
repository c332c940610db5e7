//===- Workers.h - Threads that share work ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To start a thread and to wait for its end takes as long as some work that is shared, and the
// system has to clean up behind it. These are started when they are first needed, or by start()
// before that, and wait for more, until they are dismissed.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_WORKERS_H
#define GMPROF_PROFILE_WORKERS_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gmprof {

/// For one thread that has work.
class Workers {
public:
  /// Most: threads, at least one: who has the work is one of them. The others call Begin first,
  /// each with its number.
  explicit Workers(size_t Most, std::function<void(size_t Thread)> Begin = {})
      : Most(Most), Begin(std::move(Begin)), Allowed(Most) {}
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  size_t most() const { return Allowed; }
  /// No more than these from here on, until others are.
  void allow(size_t Threads) { Allowed = std::clamp<size_t>(Threads, 1, Most); }
  /// Before there is work: has them all start, and does not wait for that.
  void start() { startUpTo(Most); }
  /// The process is about to end: lets the others end, and does not wait for that. Who has work
  /// does it alone from here on.
  void dismiss();
  /// Waits until those that were dismissed have ended.
  void join();
  /// Calls Do(I, T) for each I below Count, in any order, several at a time, but on no more than
  /// Threads. T: a number of the thread, below these.
  template <typename Callable>
  void run(size_t Count, const Callable &Do, size_t Threads = SIZE_MAX) {
    std::atomic<size_t> Next = 0;
    const auto Work = [&](size_t Thread) {
      for (size_t I = Next++; I < Count; I = Next++)
        Do(I, Thread);
    };
    const size_t Wanted = std::min({Count, Threads, Allowed});
    if (Wanted <= 1)
      return Work(0);
    share(Wanted, {[](const void *Of, size_t Thread) {
                     (*static_cast<const decltype(Work) *>(Of))(Thread);
                   },
                   &Work});
  }

private:
  struct Shared {
    void (*Call)(const void *Of, size_t Thread) = nullptr;
    const void *Of = nullptr;
  };

  void stop(bool ProcessEnds);
  void share(size_t Wanted, Shared New);
  void startUpTo(size_t Wanted);
  void start(size_t Thread, size_t Wanted);
  void help(size_t Thread);

  const size_t Most;
  const std::function<void(size_t Thread)> Begin;
  size_t Allowed;                   ///< of them, now
  size_t Started = 1;               ///< threads, or there are no more to be had
  std::vector<std::thread> Helpers; ///< thread T is T - 1

  std::mutex Lock; ///< of what follows
  std::condition_variable Changed, Done;
  Shared Work;         ///< Call is null: there is none, or it needs no further helper
  uint64_t Number = 0; ///< of the work
  size_t Wanted = 0;   ///< threads, for the work
  size_t Helping = 0;
  bool Stops = false, EndsSoon = false; ///< this, and the process
};

} // namespace gmprof

#endif // GMPROF_PROFILE_WORKERS_H
