//===- NotedLines.h - Per-line state of tracked lines -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lines are tracked up to MostLines. Beyond that, one line in four, selected by a hash, then
// one in sixteen, and so on, is tracked, and its events are weighted accordingly (fixed-size SHARDS
// of Waldspurger et al., FAST'15, Section 3.3). Sums are exact in launches that access few lines
// and estimates in others: a ratio p over n tracked lines, of which there are at least 512, has a
// standard error of about sqrt(p (1 - p) / n).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_NOTEDLINES_H
#define GMPROF_CACHE_NOTEDLINES_H

#include "cache/KeyTable.h"
#include "cache/LineHash.h"

namespace gmprof::cache {

/// Sample of one in 4^Level lines, selected by a hash key. The sample of a higher level is a subset
/// of that of a lower one.
class LineSample {
  uint32_t Mask = 0;
  unsigned Level = 0;

public:
  static constexpr unsigned MostLevel = 5;

  static uint32_t keyOf(uint64_t Line) { return static_cast<uint32_t>(multiplied(Line) >> 32); }
  bool hasKey(uint32_t Key) const { return (Key & Mask) == 0; }
  bool has(uint64_t Line) const { return hasKey(keyOf(Line)); }
  unsigned level() const { return Level; }
  /// Returns the number of lines that each line of the sample represents.
  uint64_t weight() const { return uint64_t(Mask) + 1; }
  void setLevel(unsigned To) {
    Level = To;
    Mask = (uint32_t(1) << 2 * To) - 1;
  }
};

/// State T of each tracked line. Lines are identified by 32-bit keys; two lines with equal keys
/// (one pair in 2^32) share their state.
template <typename T> class NotedLines {
  LineSample Sample;
  KeyTable<uint32_t, T> Known;

public:
  static constexpr size_t MostLines = 2048;

  const LineSample &sample() const { return Sample; }
  /// Raises the level of the sample; drops the lines outside it.
  void raiseLevel(unsigned To) {
    Sample.setLevel(To);
    Known.keep([&](uint32_t Key) { return Sample.hasKey(Key); });
  }
  /// Returns the state of a line of the sample by its key. May raise the level, after which the
  /// line can be outside the sample.
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
