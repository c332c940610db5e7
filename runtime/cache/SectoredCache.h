//===- SectoredCache.h - Tags of a set-associative cache --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are looked up and replaced whole, and are present by the sector. What becomes of hits
// and misses is the business of the level of cache (L1Cache.h, L2Cache.h).
//
// A set of up to MostScanned ways is searched. A larger one, such as an L1 cache that is one
// set, has its lines in a hash table of linear probing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SECTOREDCACHE_H
#define GMPROF_CACHE_SECTOREDCACHE_H

#include "cache/Coalescing.h"
#include "cache/Replacement.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

/// The finalizer of SplitMix64: spreads what differs in any bits.
inline uint64_t mixed(uint64_t X) {
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

/// Which slot each line is in, of a cache whose slots have Tags, less than 65535 of them.
/// Small, as there is one for each SM.
class LineIndex {
  static constexpr uint16_t Empty = 0xffff;
  std::vector<uint16_t> Slots;
  uint64_t Mask;

  uint64_t home(uint64_t Line) const { return Line * 0x9e3779b97f4a7c15 >> 40 & Mask; }

public:
  /// Sparse, so that most lines that are not there are not looked for.
  explicit LineIndex(uint64_t Lines)
      : Slots(std::bit_ceil(4 * Lines), Empty), Mask(Slots.size() - 1) {}

  static constexpr uint32_t None = ~uint32_t(0);
  uint32_t find(uint64_t Line, const std::vector<uint64_t> &Tags) const {
    for (uint64_t I = home(Line);; I = (I + 1) & Mask) {
      const uint16_t Slot = Slots[I];
      if (Slot == Empty)
        return None;
      if (Tags[Slot] == Line)
        return Slot;
    }
  }
  void insert(uint64_t Line, uint32_t Slot) {
    uint64_t I = home(Line);
    while (Slots[I] != Empty)
      I = (I + 1) & Mask;
    Slots[I] = static_cast<uint16_t>(Slot);
  }
  void erase(uint32_t Slot, const std::vector<uint64_t> &Tags) {
    uint64_t Hole = home(Tags[Slot]);
    while (Slots[Hole] != Slot)
      Hole = (Hole + 1) & Mask;
    // What is behind the hole moves into it unless that is in front of its home.
    for (uint64_t I = (Hole + 1) & Mask; Slots[I] != Empty; I = (I + 1) & Mask)
      if (((I - home(Tags[Slots[I]])) & Mask) >= ((I - Hole) & Mask)) {
        Slots[Hole] = Slots[I];
        Hole = I;
      }
    Slots[Hole] = Empty;
  }
};

/// What is known of a line in a cache, beside its tag.
struct CachedLine {
  uint32_t Owner = 0;  ///< of what is dirty: who wrote last
  uint8_t Valid = 0;   ///< sectors that can be read
  uint8_t Dirty = 0;   ///< sectors with bytes that the next level lacks
  uint8_t Partial = 0; ///< sectors that are not valid, but have some bytes
};

template <typename Policy> class SectoredCache {
public:
  static constexpr uint32_t None = ~uint32_t(0);
  static constexpr uint32_t MostScanned = 32;
  static constexpr uint64_t NoLine = ~uint64_t(0);

  /// FillsFreeFirst: while a set has free ways, its lines go there, whatever the policy says.
  SectoredCache(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), FillsFreeFirst(FillsFreeFirst), Order(Sets, Ways), Used(Sets),
        Tags(uint64_t(Sets) * Ways, NoLine), Lines(Tags.size()), Written(Tags.size()),
        Index(Ways > MostScanned ? Tags.size() : 1) {}

  /// Slot or None.
  uint32_t find(uint32_t Set, uint64_t Line) const {
    if (Ways > MostScanned)
      return Index.find(Line, Tags);
    const uint64_t *Of = Tags.data() + uint64_t(Set) * Ways;
    uint32_t Found = None;
    for (uint32_t Way = 0; Way < Ways; ++Way)
      Found = Of[Way] == Line ? Way : Found;
    return Found == None ? None : Set * Ways + Found;
  }
  /// Has the processor fetch what find() will look at.
  void prefetch(uint32_t Set) const {
    constexpr uint32_t InLine = 64 / sizeof(uint64_t);
    const uint64_t *Of = Tags.data() + uint64_t(Set) * Ways;
    for (uint32_t Way = 0; Way < Ways; Way += InLine)
      __builtin_prefetch(Of + Way);
  }
  void touch(uint32_t Set, uint32_t Slot) { Order.touch(Set, Slot - Set * Ways); }

  /// Where the next line of the set goes. What is there is to be written back first.
  uint32_t victim(uint32_t Set) {
    if (FillsFreeFirst && Used[Set] < Ways)
      return Set * Ways + Used[Set];
    return Set * Ways + Order.victim(Set);
  }
  bool holds(uint32_t Slot) const { return Tags[Slot] != NoLine; }
  uint64_t tag(uint32_t Slot) const { return Tags[Slot]; }
  void replace(uint32_t Set, uint32_t Slot, uint64_t Line) {
    if (Ways > MostScanned) {
      if (holds(Slot))
        Index.erase(Slot, Tags);
      Index.insert(Line, Slot);
    }
    Used[Set] += !holds(Slot);
    Tags[Slot] = Line;
    Lines[Slot] = {};
    Order.fill(Set, Slot - Set * Ways);
  }

  CachedLine &line(uint32_t Slot) { return Lines[Slot]; }
  const CachedLine &line(uint32_t Slot) const { return Lines[Slot]; }

  /// Bytes that were written to sectors of a line; those that are complete now become valid.
  void write(uint32_t Slot, const ByteMask &Bytes) {
    CachedLine &L = Lines[Slot];
    const unsigned Incomplete = Bytes.sectors() & ~Bytes.fullSectors() & ~L.Valid;
    L.Valid |= static_cast<uint8_t>(Bytes.fullSectors());
    if (Incomplete != 0) {
      ByteMask &All = Written[Slot];
      All.clear(~L.Partial);
      All |= Bytes;
      L.Valid |= static_cast<uint8_t>(All.fullSectors() & (L.Partial | Bytes.sectors()));
      L.Partial |= static_cast<uint8_t>(Incomplete);
    }
    L.Partial &= static_cast<uint8_t>(~L.Valid);
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

  uint64_t slots() const { return Tags.size(); }

private:
  uint32_t Ways;
  bool FillsFreeFirst;
  Policy Order;
  std::vector<uint32_t> Used; ///< ways of each set that hold a line; none is emptied again
  std::vector<uint64_t> Tags;
  std::vector<CachedLine> Lines;
  std::vector<ByteMask> Written; ///< of partial sectors
  LineIndex Index;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SECTOREDCACHE_H
