//===- SplitSectors.h - Sectors that several SMs need -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What SMs fetch of the same sectors: one that another SM has fetched, but not for these bytes, is
// split among them. SMs that want the same bytes share them, as all do with what they all read, and
// nothing is split.
//
// Of so many lines; there may be more split than this says.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SPLITSECTORS_H
#define GMPROF_CACHE_SPLITSECTORS_H

#include "cache/Coalescing.h"
#include "cache/LineTable.h"

namespace gmprof::cache {

class SplitSectors {
  struct Fetches {
    ByteMask Bytes;  ///< that they were for
    uint32_t Sm = 0; ///< of the last one
  };
  LineTable<Fetches> Lines{size_t(1) << 15};

public:
  /// Of Sectors that an SM fetches for Bytes, a bit each, those that are split.
  unsigned fetch(uint64_t Line, unsigned Sectors, const ByteMask &Bytes, uint32_t Sm) {
    Fetches *Past = Lines.of(Line);
    if (!Past)
      return 0;
    unsigned Split = 0;
    for (unsigned S = 0; S < LineSectors; ++S) {
      const uint32_t Before = Past->Bytes.sector(S);
      if (Before != 0 && Past->Sm != Sm && (Bytes.sector(S) & ~Before) != 0)
        Split |= 1U << S;
    }
    ByteMask Wanted = Bytes;
    Wanted.clear(~Sectors);
    Past->Bytes |= Wanted;
    Past->Sm = Sm;
    return Split & Sectors;
  }
  void prefetch(uint64_t Line) const { Lines.prefetch(Line); }
  void clear() { Lines.clear(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SPLITSECTORS_H
