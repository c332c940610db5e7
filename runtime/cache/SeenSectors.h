//===- SeenSectors.h - Sectors that were fetched before ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distinguishes cold misses from refetches of evicted sectors. Holds, for each tracked line, the
// sectors fetched in the launch, and those of them fetched by the block that fetched last.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SEENSECTORS_H
#define GMPROF_CACHE_SEENSECTORS_H

#include "cache/NotedLines.h"

namespace gmprof::cache {

/// Fetch history of tracked lines.
class SeenSectors {
  struct Fetches {
    uint32_t Block : 24 = 0; ///< lower bits of its number
    uint32_t Sectors : 4 = 0, OfBlock : 4 = 0;
  };
  NotedLines<Fetches> Lines;

public:
  const LineSample &sample() const { return Lines.sample(); }

  /// Masks of refetched sectors: fetched before by any block; fetched before by this block, with no
  /// other block fetching from the line since.
  struct Again {
    unsigned Any = 0, ByBlock = 0;
  };
  /// Records a fetch from a line of the sample.
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
  /// Prefetches the state of a line.
  void prefetch(uint64_t Line) const { Lines.prefetch(LineSample::keyOf(Line)); }
  void clear() { Lines.clear(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SEENSECTORS_H
