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
// A set of up to MostScanned ways is searched by signatures. A larger one, such as an L1 cache that
// is one set, has its lines in a hash table. What most accesses do is always inlined, and what few
// do never: the compiler's own choice makes L1 a fifth slower.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SECTOREDCACHE_H
#define GMPROF_CACHE_SECTOREDCACHE_H

#include "cache/Coalescing.h"
#include "cache/Replacement.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <emmintrin.h>
#include <utility>
#include <vector>

namespace gmprof::cache {

/// The finalizer of SplitMix64: spreads what differs in any bits.
inline uint64_t mixed(uint64_t X) {
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

/// A line that a cache holds.
struct CachedLine {
  static constexpr uint64_t None = ~uint64_t(0);
  uint64_t Line = None;     ///< address / 128
  uint32_t Owner = 0;       ///< of what is dirty: who wrote last
  uint32_t Valid : 4 = 0;   ///< sectors that can be read
  uint32_t Partial : 4 = 0; ///< sectors that are not valid, but have some bytes
  uint32_t Dirty : 4 = 0;   ///< sectors with bytes that the next level lacks
  uint32_t Lost : 4 = 0;    ///< sectors that were valid before a fence, and have not come again
  uint32_t Epoch : 16 = 0;  ///< of the cache, when the line was current last
};

/// The bytes of a word that are zero, by their highest bits; of those above one that is, some
/// others as well.
inline uint64_t zeroBytes(uint64_t Word) {
  constexpr uint64_t Ones = 0x0101010101010101;
  return (Word - Ones) & ~Word & Ones << 7;
}

/// Which slot each line is in, of less than 65535 of them: in buckets of eight, of which a quarter
/// is in use, with a byte of a hash of each line. Small, as there is one for each SM.
class LineIndex {
public:
  static constexpr uint32_t None = ~uint32_t(0);

private:
  static constexpr unsigned Places = 8;
  static constexpr uint32_t NoPlace = ~uint32_t(0);
  std::vector<uint64_t> Tags;    ///< of each bucket a byte for each place, 0 where it is free
  std::vector<uint16_t> Slots;   ///< of each place
  std::vector<uint32_t> PlaceOf; ///< of each slot
  struct Extra {
    uint64_t Line;
    uint32_t Slot;
  };
  std::vector<Extra> Extras; ///< the very few that their buckets have no room for
  uint64_t Mask;

  static uint64_t hash(uint64_t Line) { return Line * 0x9e3779b97f4a7c15; }
  uint64_t bucketOf(uint64_t Hash) const { return Hash >> 40 & Mask; }
  static uint64_t tagOf(uint64_t Hash) { return Hash >> 57 | 0x80; }
  static unsigned firstOf(uint64_t Bytes) {
    return static_cast<unsigned>(std::countr_zero(Bytes)) / 8;
  }

  [[gnu::noinline]] uint32_t findExtra(uint64_t Line) const {
    for (const Extra &E : Extras)
      if (E.Line == Line)
        return E.Slot;
    return None;
  }

public:
  explicit LineIndex(uint64_t Lines)
      : Tags(std::bit_ceil(Lines / 2 + 1)), Slots(Tags.size() * Places), PlaceOf(Lines, NoPlace),
        Mask(Tags.size() - 1) {}

  [[gnu::always_inline]] uint32_t find(uint64_t Line, const std::vector<CachedLine> &Lines) const {
    const uint64_t Hash = hash(Line), Bucket = bucketOf(Hash);
    uint64_t Likely = zeroBytes(Tags[Bucket] ^ tagOf(Hash) * 0x0101010101010101);
    for (; Likely != 0; Likely &= Likely - 1)
      if (const uint32_t Slot = Slots[Bucket * Places + firstOf(Likely)]; Lines[Slot].Line == Line)
        return Slot;
    return Extras.empty() ? None : findExtra(Line);
  }
  [[gnu::always_inline]] void insert(uint64_t Line, uint32_t Slot) {
    const uint64_t Hash = hash(Line), Bucket = bucketOf(Hash), Free = zeroBytes(Tags[Bucket]);
    if (Free == 0)
      return Extras.push_back({Line, Slot});
    const uint64_t Place = Bucket * Places + firstOf(Free);
    Tags[Bucket] |= tagOf(Hash) << Place % Places * 8;
    Slots[Place] = static_cast<uint16_t>(Slot);
    PlaceOf[Slot] = static_cast<uint32_t>(Place);
  }
  /// Of a slot that may have none.
  void erase(uint32_t Slot) {
    if (const uint32_t Place = std::exchange(PlaceOf[Slot], NoPlace); Place != NoPlace)
      Tags[Place / Places] &= ~(uint64_t(0xff) << Place % Places * 8);
    else if (!Extras.empty())
      std::erase_if(Extras, [Slot](const Extra &E) { return E.Slot == Slot; });
  }
};

/// A byte of a hash of each line of each set of up to 32 ways, which are compared at once.
class LineSignatures {
  struct alignas(32) OfSet {
    std::array<uint8_t, 32> Bytes = {};
  };
  std::vector<OfSet> Sets;
  uint32_t AllWays = 0; ///< a bit each

  static uint8_t signature(uint64_t Line) {
    return static_cast<uint8_t>(Line * 0x9e3779b97f4a7c15 >> 56);
  }
  /// Which bytes have this value, a bit each.
  static uint32_t equal(const OfSet &Of, uint8_t Byte) {
    const __m128i Wanted = _mm_set1_epi8(static_cast<char>(Byte));
    const auto *Halves = reinterpret_cast<const __m128i *>(Of.Bytes.data());
    const auto Equal = [&](unsigned I) {
      return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(Halves[I], Wanted)));
    };
    return Equal(0) | Equal(1) << 16;
  }

public:
  LineSignatures(uint32_t Sets, uint32_t Ways)
      : Sets(Sets), AllWays(Ways < 32 ? (uint32_t(1) << Ways) - 1 : ~uint32_t(0)) {}

  static constexpr uint32_t None = ~uint32_t(0);
  /// The way of the set, whose lines these are.
  [[gnu::always_inline]] uint32_t find(uint32_t Set, uint64_t Line, const CachedLine *Lines) const {
    for (uint32_t Likely = equal(Sets[Set], signature(Line)) & AllWays; Likely != 0;
         Likely &= Likely - 1) {
      const auto Way = static_cast<uint32_t>(std::countr_zero(Likely));
      if (Lines[Way].Line == Line)
        return Way;
    }
    return None;
  }
  void set(uint32_t Set, uint32_t Way, uint64_t Line) { Sets[Set].Bytes[Way] = signature(Line); }
  void prefetch(uint32_t Set) const { __builtin_prefetch(&Sets[Set]); }
};

template <typename Policy> class SectoredCache {
public:
  static constexpr uint32_t None = ~uint32_t(0);
  static constexpr uint32_t MostScanned = 32;

  /// FillsFreeFirst: while a set has free ways, its lines go there, whatever the policy says.
  SectoredCache(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), FillsFreeFirst(FillsFreeFirst), Order(Sets, Ways), Used(Sets),
        Lines(uint64_t(Sets) * Ways), Written(Lines.size()),
        Signatures(Ways > MostScanned ? 0 : Sets, Ways),
        Index(Ways > MostScanned ? Lines.size() : 0) {}

  /// Slot or None.
  [[gnu::always_inline]] uint32_t find(uint32_t Set, uint64_t Line) const {
    if (Ways > MostScanned)
      return Index.find(Line, Lines);
    const uint32_t First = Set * Ways, Way = Signatures.find(Set, Line, Lines.data() + First);
    return Way == LineSignatures::None ? None : First + Way;
  }
  /// Has the processor fetch all lines.
  void prefetch() const {
    constexpr size_t Together = 64 / sizeof(CachedLine);
    for (size_t I = 0; I < Lines.size(); I += Together)
      __builtin_prefetch(&Lines[I], /*rw=*/1);
  }
  /// Has the processor fetch what find() will look at first.
  void prefetch(uint32_t Set) const { Signatures.prefetch(Set); }
  [[gnu::always_inline]] void touch(uint32_t Set, uint32_t Slot) {
    Order.touch(Set, Slot - Set * Ways);
  }

  /// Where the next line of the set goes. What is there is to be written back first.
  [[gnu::always_inline]] uint32_t victim(uint32_t Set) {
    if (FillsFreeFirst && Used[Set] < Ways)
      return Set * Ways + Used[Set];
    return Set * Ways + Order.victim(Set);
  }
  bool holds(uint32_t Slot) const { return Lines[Slot].Line != CachedLine::None; }
  [[gnu::always_inline]] void replace(uint32_t Set, uint32_t Slot, uint64_t Line) {
    CachedLine &L = Lines[Slot];
    const uint32_t Way = Slot - Set * Ways;
    if (Used[Set] < Ways)
      Used[Set] += !holds(Slot);
    if (Ways > MostScanned) {
      Index.erase(Slot);
      Index.insert(Line, Slot);
    } else {
      Signatures.set(Set, Way, Line);
    }
    L = {Line};
    L.Epoch = Epoch;
    Order.fill(Set, Way);
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
  uint32_t Ways;
  bool FillsFreeFirst;
  uint16_t Epoch = 1; ///< how often all lines became stale
  Policy Order;
  std::vector<uint32_t> Used; ///< ways of each set that hold a line; none is emptied again
  std::vector<CachedLine> Lines;
  std::vector<ByteMask> Written; ///< of partial sectors
  LineSignatures Signatures;
  LineIndex Index;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SECTOREDCACHE_H
