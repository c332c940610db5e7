//===- Stretches.h - Splits large objects among threads ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object's counts may exceed memory, and several threads can share an object: elements are
// processed in windows, and a thread processes a stretch of consecutive windows. Stretch boundaries
// only depend on the object, so that results do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_STRETCHES_H
#define GMPROF_ANALYSIS_GLOBAL_STRETCHES_H

#include "profile/ElementRuns.h"
#include "profile/Parallel.h"

namespace gmprof::analysis {

/// Number of elements processed together, and the maximum per task: at least a millisecond of work.
inline constexpr uint64_t WindowElements = uint64_t(1) << 20;
inline constexpr uint64_t StretchElements = 8 * WindowElements;
/// Minimum size of an object that several threads share.
inline constexpr uint64_t LargeObject = uint64_t(512) << 20;

/// Returns the windows that overlap Touched in an object of Elements elements, in order; adjacent
/// windows are joined up to StretchElements.
std::vector<ElementRun> stretchesOf(std::vector<ElementRun> Touched, uint64_t Elements);

/// Calls Do(First, Count) for each window of a stretch, in order.
template <typename Callable> void forEachWindow(const ElementRun &Stretch, const Callable &Do) {
  for (uint64_t First = Stretch.First; First < Stretch.end(); First += WindowElements)
    Do(First, std::min(WindowElements, Stretch.end() - First));
}

/// Calls Do(I, Threads) for each object I below Count with BytesOf(I) bytes: large objects one
/// after the other, with the given number of threads each, and the others in parallel with one
/// thread each.
template <typename Bytes, typename Callable>
void forEachObject(size_t Count, size_t Threads, const Bytes &BytesOf, const Callable &Do) {
  std::vector<size_t> Others;
  for (size_t I = 0; I < Count; ++I)
    if (BytesOf(I) >= LargeObject)
      Do(I, Threads);
    else
      Others.push_back(I);
  inParallel(Others.size(), [&](size_t I) { Do(Others[I], size_t(1)); }, Threads);
}

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_STRETCHES_H
