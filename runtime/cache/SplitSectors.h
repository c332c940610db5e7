//===- SplitSectors.h - Sectors that several SMs need -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What SMs fetch of the same sectors: one that another SM has fetched, but not for these bytes, is
// split among them. SMs that want the same bytes share them, as all do with what they all read, and
// nothing is split. Of lines that are noted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SPLITSECTORS_H
#define GMPROF_CACHE_SPLITSECTORS_H

#include "cache/Coalescing.h"
#include "cache/NotedLines.h"

namespace gmprof::cache {

class SplitSectors {
  struct Fetches {
    ByteMask Bytes;  ///< that they were for
    uint32_t Sm = 0; ///< of the last one
  };
  NotedLines<Fetches> Lines;
  const bool HasHalves; ///< lines have 64 bytes, of which two are in the sample or none

  uint32_t keyOf(uint64_t Line) const {
    return HasHalves ? LineSample::keyOf(Line / 2) ^ static_cast<uint32_t>(Line << 31)
                     : LineSample::keyOf(Line);
  }

public:
  explicit SplitSectors(bool HasHalves) : HasHalves(HasHalves) {}
  const LineSample &sample() const { return Lines.sample(); }
  bool isNoted(uint64_t Line) const { return Lines.sample().hasKey(keyOf(Line)); }
  /// SMs tell the bytes of no more lines than of this level.
  void raiseLevel(unsigned To) { Lines.raiseLevel(To); }

  /// Of Sectors that an SM fetches for Bytes, a bit each, those that are split. Line: is noted.
  unsigned fetch(uint64_t Line, unsigned Sectors, const ByteMask &Bytes, uint32_t Sm) {
    Fetches &Past = Lines.of(keyOf(Line));
    unsigned Split = 0;
    for (unsigned S = 0; S < LineSectors; ++S) {
      const uint32_t Before = Past.Bytes.sector(S);
      if (Before != 0 && Past.Sm != Sm && (Bytes.sector(S) & ~Before) != 0)
        Split |= 1U << S;
    }
    ByteMask Wanted = Bytes;
    Wanted.clear(~Sectors);
    Past.Bytes |= Wanted;
    Past.Sm = Sm;
    return Split & Sectors;
  }
  /// Has the processor fetch what is known of a line.
  void prefetch(uint64_t Line) const { Lines.prefetch(keyOf(Line)); }
  void clear() { Lines.clear(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SPLITSECTORS_H
