//===- SplitSectors.h - Sectors split between SMs ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sector is split if an SM fetches it for bytes for which no other SM has fetched it before. SMs
// that fetch the same bytes share them, which is no split. Covers tracked lines only.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SPLITSECTORS_H
#define GMPROF_CACHE_SPLITSECTORS_H

#include "cache/Coalescing.h"
#include "cache/NotedLines.h"

namespace gmprof::cache {

/// Detector of split sectors.
class SplitSectors {
  struct Fetches {
    ByteMask Bytes;  ///< bytes it was fetched for
    uint32_t Sm = 0; ///< SM of the last fetch
  };
  NotedLines<Fetches> Lines;
  const bool HasHalves; ///< lines have 64 bytes; both halves of a 128-byte line are sampled or
                        ///< neither

  uint32_t keyOf(uint64_t Line) const {
    return HasHalves ? LineSample::keyOf(Line / 2) ^ static_cast<uint32_t>(Line << 31)
                     : LineSample::keyOf(Line);
  }

public:
  explicit SplitSectors(bool HasHalves) : HasHalves(HasHalves) {}
  const LineSample &sample() const { return Lines.sample(); }
  bool isNoted(uint64_t Line) const { return Lines.sample().hasKey(keyOf(Line)); }
  /// Raises the level to that of an SM, beyond which SMs send no bytes.
  void raiseLevel(unsigned To) { Lines.raiseLevel(To); }

  /// Records a fetch of Sectors for Bytes by an SM; returns the split ones. Line: tracked.
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
  /// Prefetches the state of a line.
  void prefetch(uint64_t Line) const { Lines.prefetch(keyOf(Line)); }
  void clear() { Lines.clear(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SPLITSECTORS_H
