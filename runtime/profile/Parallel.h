//===- Parallel.h - Independent work on several cores -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PARALLEL_H
#define GMPROF_PROFILE_PARALLEL_H

#include "profile/Workers.h"

namespace gmprof {

/// Calls Do(I) for each I below Count, in any order, on at most Most threads.
template <typename Callable> void inParallel(size_t Count, const Callable &Do, size_t Most = 8) {
  Workers(Most).run(Count, [&](size_t I, size_t) { Do(I); });
}

/// Calls Do(I, R) in parallel, then TakeNext(R) in the order of I, whatever the number of threads.
/// At most 16 results exist at a time.
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
