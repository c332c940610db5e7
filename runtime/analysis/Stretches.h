//===- Stretches.h - Elements of large objects by several threads -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects may have more elements than this machine has memory for their counts, and any number of
// threads can share them: they are looked at in windows, and a thread goes through a stretch of
// windows in their order. Where stretches begin depends on the object alone, so that nothing that
// is found does on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_STRETCHES_H
#define GMPROF_ANALYSIS_STRETCHES_H

#include "profile/ElementRuns.h"
#include "profile/Parallel.h"

namespace gmprof::analysis {

/// Elements that are looked at together, and the most that a thread takes at a time: a
/// millisecond of work or more.
inline constexpr uint64_t WindowElements = uint64_t(1) << 20;
inline constexpr uint64_t StretchElements = 8 * WindowElements;
/// Objects of so many bytes have stretches for several threads.
inline constexpr uint64_t LargeObject = uint64_t(512) << 20;

/// The windows that Touched have elements in, of an object with so many, from the first to the
/// last: those side by side together, as long as that is one stretch.
std::vector<ElementRun> stretchesOf(std::vector<ElementRun> Touched, uint64_t Elements);

/// Calls Do(First, Count) for each window of a stretch, in their order.
template <typename Callable> void forEachWindow(const ElementRun &Stretch, const Callable &Do) {
  for (uint64_t First = Stretch.First; First < Stretch.end(); First += WindowElements)
    Do(First, std::min(WindowElements, Stretch.end() - First));
}

/// Calls Do(I, Threads) for each object I of Count, whose bytes BytesOf(I) says: large ones one
/// after the other, for which it may have that many threads, and the others at the same time.
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

#endif // GMPROF_ANALYSIS_STRETCHES_H
