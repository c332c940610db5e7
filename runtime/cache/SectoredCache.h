//===- SectoredCache.h - Lines of an L1 cache -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are looked up and replaced whole, and are present by the sector. L1Cache.h handles hits and
// misses. The hot paths are always inlined.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SECTOREDCACHE_H
#define GMPROF_CACHE_SECTOREDCACHE_H

#include "cache/Coalescing.h"
#include "cache/LineIndex.h"
#include "cache/Replacement.h"

namespace gmprof::cache {

/// Masks of the sectors that a cache holds of a line.
struct HeldSectors {
  uint32_t Valid : 4 = 0;   ///< readable
  uint32_t Partial : 4 = 0; ///< with some bytes written, but not valid
  uint32_t Dirty : 4 = 0;   ///< newer than the next level
  uint32_t Lost : 4 = 0;    ///< valid before a fence and not fetched since
  uint32_t Epoch : 16 = 0;  ///< epoch of the cache at the line's last use
};

/// Line of a cache.
struct CachedLine : HeldSectors {
  static constexpr uint64_t None = ~uint64_t(0);
  uint32_t Owner = 0;   ///< cell that wrote the dirty sectors last
  uint64_t Line = None; ///< address / 128
};

/// Set-associative cache with sectored lines.
template <typename Policy> class SectoredCache {
public:
  static constexpr uint32_t None = LineIndex::None;

  /// Makes an empty cache. FillsFreeFirst: while a set has free ways, new lines use these
  /// regardless of the policy.
  SectoredCache(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), Free(FillsFreeFirst ? uint64_t(Sets) * Ways : 0), Order(Sets, Ways), Used(Sets),
        Lines(uint64_t(Sets) * Ways), Index(Lines.size()) {}

  /// Returns the slot of a line, or None.
  [[gnu::always_inline]] uint32_t find(uint64_t Line) const {
    return Index.find(Line, [&](uint32_t Slot) { return Lines[Slot].Line == Line; });
  }
  [[gnu::always_inline]] void touch(uint32_t Set, uint32_t Slot) {
    Order.touch(Set, Slot - Set * Ways);
  }

  /// Returns the slot for the set's next line and registers its use. The caller writes back the
  /// line in it and calls replace().
  [[gnu::always_inline]] uint32_t take(uint32_t Set) {
    if (Free != 0) [[unlikely]]
      if (const uint32_t Slot = takeFree(Set); Slot != None)
        return Slot;
    const uint32_t Way = Order.victim(Set);
    Order.fill(Set, Way);
    return Set * Ways + Way;
  }
  bool holds(uint32_t Slot) const { return Lines[Slot].Line != CachedLine::None; }
  [[gnu::always_inline]] void replace(uint32_t Slot, uint64_t Line, unsigned Valid = 0) {
    Index.put(Slot, Line);
    HeldSectors Held;
    Held.Valid = Valid;
    Held.Epoch = Epoch;
    Lines[Slot] = {Held, 0, Line};
  }

  /// Marks all lines as stale. They keep their slots and contents until the next access.
  void makeStale() {
    if (++Epoch != 0)
      return;
    for (CachedLine &L : Lines) // the counter wrapped around
      L.Epoch = 0;
    Epoch = 1;
  }
  bool isStale(uint32_t Slot) const { return Lines[Slot].Epoch != Epoch; }
  void makeCurrent(uint32_t Slot) { Lines[Slot].Epoch = Epoch; }

  CachedLine &line(uint32_t Slot) { return Lines[Slot]; }
  const CachedLine &line(uint32_t Slot) const { return Lines[Slot]; }

  /// Writes bytes to sectors of a line; sectors that become complete become valid.
  void write(uint32_t Slot, const ByteMask &Bytes) {
    CachedLine &L = Lines[Slot];
    const unsigned Incomplete = Bytes.sectors() & ~Bytes.fullSectors() & ~L.Valid;
    L.Valid |= Bytes.fullSectors();
    if (Incomplete != 0) {
      if (Written.empty())
        Written.resize(Lines.size());
      ByteMask &All = Written[Slot];
      All.clear(~L.Partial);
      All |= Bytes;
      L.Valid |= All.fullSectors() & (L.Partial | Bytes.sectors());
      L.Partial |= Incomplete;
    }
    L.Partial &= ~L.Valid;
  }

  /// Returns those of `Sectors` that are partially written and hold all of Bytes.
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
  uint64_t Free;      ///< free ways of all sets that are to be filled first
  uint16_t Epoch = 1; ///< number of makeStale() calls
  Policy Order;
  std::vector<uint32_t> Used; ///< free ways that each set has used
  std::vector<CachedLine> Lines;
  std::vector<ByteMask> Written; ///< bytes of partial sectors; allocated on demand
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
