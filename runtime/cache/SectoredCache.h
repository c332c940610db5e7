//===- SectoredCache.h - The lines of an L1 cache ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are looked up and replaced whole, and are present by the sector. What becomes of hits
// and misses is the business of L1Cache.h. What most accesses do is always inlined.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SECTOREDCACHE_H
#define GMPROF_CACHE_SECTOREDCACHE_H

#include "cache/Coalescing.h"
#include "cache/LineIndex.h"
#include "cache/Replacement.h"
#include "cache/ZeroedArray.h"

namespace gmprof::cache {

/// What a cache has of a line: sectors, a bit each.
struct HeldSectors {
  uint32_t Valid : 4 = 0;   ///< that can be read
  uint32_t Partial : 4 = 0; ///< with some bytes, of those that are not valid
  uint32_t Dirty : 4 = 0;   ///< with bytes that the next level lacks
  uint32_t Lost : 4 = 0;    ///< that were valid before a fence, and have not come again
  uint32_t Epoch : 16 = 0;  ///< of the cache, when the line was current last
};

/// A line that a cache holds.
struct CachedLine : HeldSectors {
  static constexpr uint64_t None = ~uint64_t(0);
  uint32_t Owner = 0;   ///< of what is dirty: who wrote last
  uint64_t Line = None; ///< address / 128
};

template <typename Policy> class SectoredCache {
public:
  static constexpr uint32_t None = LineIndex::None;

  /// FillsFreeFirst: while a set has free ways, its lines go there, whatever the policy says.
  SectoredCache(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), Free(FillsFreeFirst ? uint64_t(Sets) * Ways : 0), Order(Sets, Ways), Used(Sets),
        Lines(uint64_t(Sets) * Ways), Index(Lines.size()) {}

  /// Slot or None.
  [[gnu::always_inline]] uint32_t find(uint64_t Line) const {
    return Index.find(Line, [&](uint32_t Slot) { return Lines[Slot].Line == Line; });
  }
  [[gnu::always_inline]] void touch(uint32_t Set, uint32_t Slot) {
    Order.touch(Set, Slot - Set * Ways);
  }

  /// Where the next line of the set goes, which counts as used now. What is there is to be written
  /// back, and then replaced.
  [[gnu::always_inline]] uint32_t take(uint32_t Set) {
    if (Free != 0) [[unlikely]]
      if (const uint32_t Slot = takeFree(Set); Slot != None)
        return Slot;
    return Set * Ways + cache::take(Order, Set);
  }
  bool holds(uint32_t Slot) const { return Lines[Slot].Line != CachedLine::None; }
  [[gnu::always_inline]] void replace(uint32_t Slot, uint64_t Line, unsigned Valid = 0) {
    Index.put(Slot, Line);
    HeldSectors Held;
    Held.Valid = Valid;
    Held.Epoch = Epoch;
    Lines[Slot] = {Held, 0, Line};
  }

  /// Makes all lines stale. They keep their places, and what they have until it is looked at.
  void makeStale() {
    if (++Epoch != 0)
      return;
    for (CachedLine &L : Lines) // numbers begin anew
      L.Epoch = 0;
    Epoch = 1;
  }
  bool isStale(uint32_t Slot) const { return Lines[Slot].Epoch != Epoch; }
  void makeCurrent(uint32_t Slot) { Lines[Slot].Epoch = Epoch; }

  CachedLine &line(uint32_t Slot) { return Lines[Slot]; }
  const CachedLine &line(uint32_t Slot) const { return Lines[Slot]; }

  /// Bytes that were written to sectors of a line; those that are complete now become valid.
  void write(uint32_t Slot, const ByteMask &Bytes) {
    CachedLine &L = Lines[Slot];
    const unsigned Incomplete = Bytes.sectors() & ~Bytes.fullSectors() & ~L.Valid;
    L.Valid |= Bytes.fullSectors();
    if (Incomplete != 0) {
      if (Written.empty())
        Written = ZeroedArray<ByteMask>(Lines.size());
      ByteMask &All = Written[Slot];
      All.clear(~L.Partial);
      All |= Bytes;
      L.Valid |= All.fullSectors() & (L.Partial | Bytes.sectors());
      L.Partial |= Incomplete;
    }
    L.Partial &= ~L.Valid;
  }

  /// Of these sectors, which have all of Bytes, though they may lack others.
  unsigned written(uint32_t Slot, const ByteMask &Bytes, unsigned Sectors) const {
    unsigned Found = 0;
    for (unsigned S = 0; S < LineSectors; ++S)
      if ((Sectors & Lines[Slot].Partial) >> S & 1 &&
          (Bytes.sector(S) & ~Written[Slot].sector(S)) == 0)
        Found |= 1U << S;
    return Found;
  }

  uint64_t slots() const { return Lines.size(); }

private:
  const uint32_t Ways;
  uint64_t Free;      ///< ways, of all sets, that are to be filled first
  uint16_t Epoch = 1; ///< how often all lines became stale
  Policy Order;
  std::vector<uint32_t> Used; ///< ways of each set that were free
  std::vector<CachedLine> Lines;
  ZeroedArray<ByteMask> Written; ///< once there are any: of partial sectors
  LineIndex Index;

  [[gnu::noinline]] uint32_t takeFree(uint32_t Set) {
    if (Used[Set] == Ways)
      return None;
    const uint32_t Way = Used[Set]++;
    --Free;
    Order.fill(Set, Way);
    return Set * Ways + Way;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SECTOREDCACHE_H
