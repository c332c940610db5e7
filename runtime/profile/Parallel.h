//===- Parallel.h - Independent work on several cores -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PARALLEL_H
#define GMPROF_PROFILE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <functional>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace gmprof {

/// Calls Do(I, M) for each I below Count, in any order, several at a time, but no more than there
/// are Memories (at least one). M: the one of the thread, to be used again.
template <typename Memory, typename Callable>
void inParallelWith(std::span<Memory> Memories, size_t Count, const Callable &Do) {
  std::atomic<size_t> Next = 0;
  const auto Work = [&](Memory &OfThread) {
    for (size_t I = Next++; I < Count; I = Next++)
      Do(I, OfThread);
  };
  if (Count <= 1 || Memories.size() <= 1)
    return Work(Memories[0]); // to ask for the number of processors is slow
  const size_t Wanted =
      std::min({Count, size_t(std::thread::hardware_concurrency()), Memories.size()});
  // Signals are for the threads that were there.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::vector<std::jthread> Helpers;
  const auto StartHelper = [&] {
    try {
      Helpers.emplace_back(Work, std::ref(Memories[Helpers.size() + 1]));
      return true;
    } catch (const std::system_error &) {
      return false; // there may be no more threads
    }
  };
  while (Helpers.size() + 1 < Wanted)
    if (!StartHelper())
      break;
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  Work(Memories[0]);
}

/// The same for Do(I), and no more than Most at a time.
template <typename Callable> void inParallel(size_t Count, const Callable &Do, size_t Most = 8) {
  struct Nothing {};
  std::vector<Nothing> None(Most);
  inParallelWith(std::span(None), Count, [&](size_t I, Nothing &) { Do(I); });
}

/// The same for Do(I, R), and then Take(R) with what each has left in R, in the order of I whatever
/// the number of threads. There are no more than a few R at a time.
template <typename Result, typename Make, typename Take>
void inParallelInOrder(size_t Count, const Make &Do, const Take &TakeNext, size_t Most = 8) {
  constexpr size_t AtATime = 16;
  for (size_t First = 0; First < Count; First += AtATime) {
    std::vector<Result> Results(std::min(AtATime, Count - First));
    inParallel(Results.size(), [&](size_t I) { Do(First + I, Results[I]); }, Most);
    for (Result &Each : Results)
      TakeNext(Each);
  }
}

} // namespace gmprof

#endif // GMPROF_PROFILE_PARALLEL_H
