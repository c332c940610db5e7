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

#include "cache/LineTable.h"

namespace gmprof::cache {

/// One in 4^Level lines of 128 bytes. Those of a higher level are a part of those of a lower one.
class LineSample {
  uint64_t Mask = 0;
  unsigned Level = 0;
  unsigned Shift;

public:
  static constexpr unsigned MostLevel = 5;

  /// HasHalves: lines have 64 bytes, of which two are in the sample or none.
  explicit LineSample(bool HasHalves = false) : Shift(HasHalves) {}

  bool has(uint64_t Line) const { return ((Line >> Shift) * 0xd6e8feb86659fd93 >> 50 & Mask) == 0; }
  unsigned level() const { return Level; }
  /// Lines that each one stands for.
  uint64_t weight() const { return Mask + 1; }
  void setLevel(unsigned To) {
    Level = To;
    Mask = (uint64_t(1) << 2 * To) - 1;
  }
};

template <typename T, size_t MostLines> class NotedLines {
  LineSample Sample;
  LineTable<T> Known;

public:
  explicit NotedLines(bool HasHalves = false) : Sample(HasHalves) {}

  const LineSample &sample() const { return Sample; }
  /// From now on of no more lines than that.
  void raiseLevel(unsigned To) {
    Sample.setLevel(To);
    Known.keep([&](uint64_t Line) { return Sample.has(Line); });
  }
  /// Of a line of the sample, which it may leave by that.
  T &of(uint64_t Line) {
    T &Of = Known.of(Line);
    if (Known.size() <= MostLines || Sample.level() == LineSample::MostLevel) [[likely]]
      return Of;
    raiseLevel(Sample.level() + 1);
    return Known.of(Line);
  }
  void clear() {
    Sample.setLevel(0);
    Known.clear();
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_NOTEDLINES_H
