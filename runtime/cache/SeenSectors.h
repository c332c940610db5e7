//===- SeenSectors.h - Sectors that were fetched before ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache that misses what it never had can do nothing about it; what it fetches a second time it
// has lost. This tells them apart: for each line, the sectors that were fetched in the launch,
// and those of them that the block which fetched last did fetch.
//
// A hash table of linear probing. It has so many lines at most; of those that come then nothing is
// known, so that there may be more fetched again than it says.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SEENSECTORS_H
#define GMPROF_CACHE_SEENSECTORS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

class SeenSectors {
  static constexpr uint64_t NoLine = ~uint64_t(0);
  struct Entry {
    uint64_t Line = NoLine;
    uint32_t Block = 0;
    uint8_t Sectors = 0, OfBlock = 0;
  };
  std::vector<Entry> Entries = std::vector<Entry>(64);
  size_t Count = 0;

  Entry &entryOf(uint64_t Line) {
    const size_t Mask = Entries.size() - 1;
    size_t I = Line * 0x9e3779b97f4a7c15 >> 32 & Mask;
    while (Entries[I].Line != Line && Entries[I].Line != NoLine)
      I = (I + 1) & Mask;
    return Entries[I];
  }
  void grow() {
    std::vector<Entry> Old(2 * Entries.size());
    Old.swap(Entries);
    for (const Entry &E : Old)
      if (E.Line != NoLine)
        entryOf(E.Line) = E;
  }

public:
  static constexpr size_t MostLines = size_t(1) << 17;

  /// Of sectors that are fetched, a bit each: those that were before, by any block and by this one
  /// without another one fetching any of the line since.
  struct Again {
    unsigned Any = 0, ByBlock = 0;
  };
  Again fetch(uint64_t Line, unsigned Sectors, uint32_t Block) {
    Entry *E = &entryOf(Line);
    if (E->Line == NoLine) {
      if (Count == MostLines)
        return {};
      if (++Count * 2 > Entries.size()) {
        grow();
        E = &entryOf(Line);
      }
      E->Line = Line;
    }
    if (E->Block != Block)
      E->OfBlock = 0;
    const Again Result = {E->Sectors & Sectors, E->OfBlock & Sectors};
    E->Block = Block;
    E->Sectors |= static_cast<uint8_t>(Sectors);
    E->OfBlock |= static_cast<uint8_t>(Sectors);
    return Result;
  }
  void clear() { *this = SeenSectors(); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SEENSECTORS_H
