//===- Workers.h - A pool of worker threads ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starting and joining a thread takes as long as some shared work. These threads start on first
// need and wait for more work.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_WORKERS_H
#define GMPROF_PROFILE_WORKERS_H

#include "profile/Mutex.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace gmprof {

/// A thread pool of one owner thread, which shares its work; not thread-safe.
class Workers {
public:
  /// Makes a pool. Most: maximum number of threads, including the owner.
  explicit Workers(size_t Most) : Most(Most), Allowed(Most) {}
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  size_t most() const { return Allowed; }
  /// Limits the number of threads, until the next call.
  void allow(size_t Threads) { Allowed = std::clamp<size_t>(Threads, 1, Most); }
  /// Calls Do(I, T) for each I below Count, in any order, on at most Threads threads; T is the
  /// thread's number, below Threads. Returns when all calls have returned.
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

  void share(size_t Wanted, Shared New);
  void startUpTo(size_t Wanted);
  void help(size_t Thread);

  const size_t Most;
  size_t Allowed;                   ///< current limit
  size_t Started = 1;               ///< number of threads started, or the limit of the system
  std::vector<std::thread> Helpers; ///< thread T is at T - 1

  Mutex Lock;
  std::condition_variable Changed, Done;
  Shared Work
      GMPROF_GUARDED_BY(Lock); ///< Call is null if there is no work, or it needs no further helper
  uint64_t Number GMPROF_GUARDED_BY(Lock) = 0; ///< counts the work items
  size_t Wanted GMPROF_GUARDED_BY(Lock) = 0;   ///< threads for the current work
  size_t Helping GMPROF_GUARDED_BY(Lock) = 0;
  bool Stops GMPROF_GUARDED_BY(Lock) = false; ///< helpers should end
};

} // namespace gmprof

#endif // GMPROF_PROFILE_WORKERS_H
