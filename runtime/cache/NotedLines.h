//===- NotedLines.h - What is noted of lines, or of some --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of up to MostLines lines, something is noted of each. If there are more, it is noted of one in
// four, chosen by a hash, then of one in sixteen, and so on, and what happens to each of these
// counts for as many (fixed-size SHARDS of Waldspurger et al., FAST'15, Section 3.3). So sums are
// exact where a launch accesses few lines, and estimates where it accesses many: of a part p of
// what happens to n lines, with a standard error of about sqrt(p (1 - p) / n), of which there are
// 512 at least.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_NOTEDLINES_H
#define GMPROF_CACHE_NOTEDLINES_H

#include "cache/KeyTable.h"
#include "cache/LineHash.h"

namespace gmprof::cache {

/// One in 4^Level lines, chosen by a key of each, a hash. Those of a higher level are a part of
/// those of a lower one.
class LineSample {
  uint32_t Mask = 0;
  unsigned Level = 0;

public:
  static constexpr unsigned MostLevel = 5;

  static uint32_t keyOf(uint64_t Line) { return static_cast<uint32_t>(multiplied(Line) >> 32); }
  bool hasKey(uint32_t Key) const { return (Key & Mask) == 0; }
  bool has(uint64_t Line) const { return hasKey(keyOf(Line)); }
  unsigned level() const { return Level; }
  /// Lines that each one stands for.
  uint64_t weight() const { return uint64_t(Mask) + 1; }
  void setLevel(unsigned To) {
    Level = To;
    Mask = (uint32_t(1) << 2 * To) - 1;
  }
};

/// Two lines of which the same is noted have the same key: one pair of 2^32.
template <typename T> class NotedLines {
  LineSample Sample;
  KeyTable<uint32_t, T> Known;

public:
  static constexpr size_t MostLines = 2048;

  const LineSample &sample() const { return Sample; }
  /// From now on of no more lines than that.
  void raiseLevel(unsigned To) {
    Sample.setLevel(To);
    Known.keep([&](uint32_t Key) { return Sample.hasKey(Key); });
  }
  /// Of a line of the sample, by its key, which it may leave by that.
  T &of(uint32_t Key) {
    T &Of = Known.of(Key);
    if (Known.size() <= MostLines || Sample.level() == LineSample::MostLevel) [[likely]]
      return Of;
    raiseLevel(Sample.level() + 1);
    return Known.of(Key);
  }
  void prefetch(uint32_t Key) const { Known.prefetch(Key); }
  void clear() {
    Sample.setLevel(0);
    Known.clear();
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_NOTEDLINES_H
