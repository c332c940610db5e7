//===- SeenSectors.h - Sectors that were fetched before ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache that misses what it never had can do nothing about it; what it fetches a second time it
// has lost. This tells them apart: for each line that is noted, the sectors that were fetched in
// the launch, and those of them that the block which fetched last did fetch.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SEENSECTORS_H
#define GMPROF_CACHE_SEENSECTORS_H

#include "cache/NotedLines.h"

namespace gmprof::cache {

class SeenSectors {
  struct Fetches {
    uint32_t Block : 24 = 0; ///< the lower bits of its number
    uint32_t Sectors : 4 = 0, OfBlock : 4 = 0;
  };
  NotedLines<Fetches> Lines;

public:
  const LineSample &sample() const { return Lines.sample(); }

  /// Of sectors that are fetched, a bit each: those that were before, by any block and by this one
  /// without another one fetching any of the line since.
  struct Again {
    unsigned Any = 0, ByBlock = 0;
  };
  /// Line: of the sample.
  Again fetch(uint64_t Line, unsigned Sectors, uint32_t Block) {
    Fetches &Past = Lines.of(LineSample::keyOf(Line));
    Block &= (uint32_t(1) << 24) - 1;
    if (Past.Block != Block)
      Past.OfBlock = 0;
    const Again Result = {Past.Sectors & Sectors, Past.OfBlock & Sectors};
    Past.Block = Block;
    Past.Sectors |= Sectors;
    Past.OfBlock |= Sectors;
    return Result;
  }
  /// Has the processor fetch what is known of a line.
  void prefetch(uint64_t Line) const { Lines.prefetch(LineSample::keyOf(Line)); }
  void clear() { Lines.clear(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SEENSECTORS_H
