//===- PageProtections.cpp - Page protections of the program --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/PageProtections.h"
#include "host/sync/SpinLock.h"
#include <algorithm>
#include <array>

namespace gmprof::host {
namespace {

struct Range {
  uint64_t Begin, End;
};

constexpr size_t MostRanges = 4096;

constinit SpinLock Lock;
/// Ranges in order, apart from each other.
constinit std::array<Range, MostRanges> Ranges GMPROF_GUARDED_BY(Lock) = {};
size_t Count GMPROF_GUARDED_BY(Lock) = 0;
bool Full GMPROF_GUARDED_BY(Lock) = false;

Range *firstThatEndsBehind(uint64_t Address) GMPROF_REQUIRES(Lock) {
  return std::partition_point(Ranges.data(), Ranges.data() + Count,
                              [&](const Range &R) { return R.End <= Address; });
}

void insert(Range *At, Range New) GMPROF_REQUIRES(Lock) {
  if (Count == MostRanges) {
    Full = true;
    return;
  }
  std::copy_backward(At, Ranges.data() + Count, Ranges.data() + Count + 1);
  *At = New;
  ++Count;
}

/// Removes [Begin, End) from all ranges.
void clear(uint64_t Begin, uint64_t End) GMPROF_REQUIRES(Lock) {
  Range *At = firstThatEndsBehind(Begin);
  if (At != Ranges.data() + Count && At->Begin < Begin) {
    const uint64_t Behind = At->End;
    At->End = Begin;
    ++At;
    if (Behind > End) {
      insert(At, {End, Behind});
      return;
    }
  }
  Range *Last = At;
  while (Last != Ranges.data() + Count && Last->End <= End)
    ++Last;
  if (Last != Ranges.data() + Count && Last->Begin < End)
    Last->Begin = End;
  std::copy(Last, Ranges.data() + Count, At);
  Count -= static_cast<size_t>(Last - At);
}

} // namespace

void PageProtections::set(uint64_t Begin, uint64_t Bytes, bool Limited) {
  const uint64_t End = (Begin + Bytes + PageBytes - 1) & ~(PageBytes - 1);
  if (End <= Begin)
    return;
  SpinLock::Guard Guard(Lock);
  clear(Begin, End);
  if (!Limited)
    return;
  // Joins adjacent ranges.
  Range *At = firstThatEndsBehind(Begin);
  if (At != Ranges.data() && At[-1].End == Begin)
    At[-1].End = End;
  else
    insert(At, {Begin, End});
}

bool PageProtections::limited(uint64_t Begin, uint64_t End) {
  SpinLock::Guard Guard(Lock);
  const Range *At = firstThatEndsBehind(Begin);
  return Full || (At != Ranges.data() + Count && At->Begin < End);
}

} // namespace gmprof::host
