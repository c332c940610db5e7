//===- L2Slice.h - Lines of a slice of L2 -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are looked up and replaced whole, and are present by the sector. A slice holds 8 bytes and
// a hash byte per line; one vector comparison of the hash bytes finds the lines of a set: with a
// comparison per line, `gmreport simulate` takes 5 % longer (docs/optimisations.md). Dirty state is
// stored separately.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2SLICE_H
#define GMPROF_CACHE_L2SLICE_H

#include "cache/L2Queues.h"
#include "cache/LineHash.h"
#include "cache/Replacement.h"
#include <utility>

namespace gmprof::cache {

/// Slice with the replacement policy Policy: LruOfFew, or any of Replacement.h.
template <typename Policy> class L2Slice {
public:
  /// Ways: at most 32. FillsFreeFirst: while a set has free ways, new lines use these regardless of
  /// the policy.
  L2Slice(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), AllWays(firstBits(Ways)),
        SlotsOfSet((Ways + LinesTogether - 1) / LinesTogether * LinesTogether),
        FillsFreeFirst(FillsFreeFirst), Order(Sets, Ways), Used(Sets), Signatures(Sets),
        WrittenWays(Sets), Lines(Sets * SlotsOfSet, NoLine), Written(Lines.size()),
        Bytes(Lines.size()) {}

  /// Position of a line in a set.
  struct Place {
    uint32_t Set, Way;
    uint64_t Slot;
    bool WasThere;  ///< line present; if not, the way is its victim
    unsigned Valid; ///< readable sectors, if present
  };
  [[gnu::always_inline]] Place find(uint32_t Set, uint64_t Line) const {
    const uint32_t Likely = likely(Set, Line), Victim = victim(Set);
    const auto First = static_cast<uint32_t>(std::countr_zero(Likely));
    uint32_t Way = Likely != 0 ? First : Victim;
    const uint64_t FirstSlot = Set * SlotsOfSet;
    SectorsOfLine There = Lines[FirstSlot + Way];
    bool WasThere = There.line() == Line;
    if (!WasThere && Likely != 0) {
      Way = findAmong(Likely & (Likely - 1), FirstSlot, Line);
      WasThere = Way != None;
      Way = WasThere ? Way : Victim;
      There = Lines[FirstSlot + Way];
    }
    return {Set, Way, FirstSlot + Way, WasThere, WasThere ? There.sectors() : 0};
  }

  /// Returns whether the victim has written sectors, which the caller takes with takeWritten()
  /// first.
  bool replacesWritten(const Place &P) const {
    return !P.WasThere && (WrittenWays[P.Set] >> P.Way & 1) != 0;
  }

  /// Stores the line as the most recently used one, with these valid sectors.
  [[gnu::always_inline]] void use(const Place &P, uint64_t Line, unsigned Valid) {
    if constexpr (IsLru) { // for hits and misses
      Order.touch(P.Set, P.Way);
      Signatures.of(P.Set)[P.Way] = signature(Line);
    } else if (P.WasThere) {
      Order.touch(P.Set, P.Way);
    } else {
      Used[P.Set] += Used[P.Set] < Ways;
      Order.fill(P.Set, P.Way);
      Signatures.of(P.Set)[P.Way] = signature(Line);
    }
    Lines[P.Slot] = {Line, Valid};
  }

  unsigned valid(const Place &P) const { return Lines[P.Slot].sectors(); }
  void setValid(const Place &P, unsigned Valid) { Lines[P.Slot] = {Lines[P.Slot].line(), Valid}; }

  /// Masks of the written sectors of a line.
  struct WrittenLine {
    uint8_t Partial = 0; ///< sectors with some bytes written that are not valid
    uint8_t Dirty = 0;   ///< sectors newer than DRAM
    uint32_t Owner = 0;  ///< cell that wrote the dirty sectors last
  };
  const WrittenLine &written(const Place &P) const { return Written[P.Slot]; }

  /// Writes bytes to a line; sectors that become complete become valid.
  void write(const Place &P, const ByteMask &New) {
    WrittenWays[P.Set] |= uint32_t(1) << P.Way;
    WrittenLine &W = Written[P.Slot];
    const unsigned Full = New.fullSectors(), Before = valid(P);
    const unsigned Incomplete = New.sectors() & ~Full & ~Before;
    unsigned Valid = Before | Full;
    if (Incomplete != 0) {
      ByteMask &All = Bytes[P.Slot];
      All.clear(~unsigned(W.Partial));
      All |= New;
      Valid |= All.fullSectors() & (W.Partial | New.sectors());
      W.Partial |= static_cast<uint8_t>(Incomplete);
    }
    W.Partial &= static_cast<uint8_t>(~Valid);
    setValid(P, Valid);
  }
  void setDirty(const Place &P, unsigned Sectors, uint32_t Owner) {
    WrittenWays[P.Set] |= uint32_t(1) << P.Way;
    Written[P.Slot].Dirty |= static_cast<uint8_t>(Sectors);
    Written[P.Slot].Owner = Owner;
  }
  /// Returns and clears the written state of the line in this way.
  WrittenLine takeWritten(uint32_t Set, uint32_t Way) {
    WrittenWays[Set] &= ~(uint32_t(1) << Way);
    return std::exchange(Written[Set * SlotsOfSet + Way], {});
  }
  /// Invalidates sectors of the line, if present.
  void invalidate(uint32_t Set, uint64_t Line, unsigned Sectors) {
    const Place P = find(Set, Line);
    if (!P.WasThere)
      return;
    setValid(P, P.Valid & ~Sectors);
    Written[P.Slot].Partial &= static_cast<uint8_t>(~Sectors);
  }

  uint64_t dirtySectors() const {
    uint64_t Sum = 0;
    for (uint32_t Set = 0; Set < WrittenWays.size(); ++Set)
      for (uint32_t Ways = WrittenWays[Set]; Ways != 0; Ways &= Ways - 1)
        Sum += countSectors(
            Written[Set * SlotsOfSet + static_cast<uint32_t>(std::countr_zero(Ways))].Dirty);
    return Sum;
  }

  /// Prefetches the replacement state of a set and its neighbour, and the lines of one of them.
  [[gnu::always_inline]] void prefetch(uint32_t Set, uint32_t OfLines) const {
    Signatures.prefetch(Set);
    if constexpr (IsLru)
      Order.prefetch(Set);
    const uint64_t First = OfLines * SlotsOfSet;
    prefetchAll(&Lines[First]);
    if (WrittenWays[OfLines] != 0)
      prefetchAll(&Written[First]);
  }

private:
  static constexpr bool IsLru = std::is_same_v<Policy, LruOfFew>;
  static constexpr uint32_t None = ~uint32_t(0);
  static constexpr SectorsOfLine NoLine = {~uint64_t(0) >> 4, 0};
  /// Lines in one cache line of the processor.
  static constexpr uint32_t LinesTogether = 64 / sizeof(SectorsOfLine);
  static_assert(sizeof(WrittenLine) == sizeof(SectorsOfLine));

  const uint32_t Ways;
  const uint32_t AllWays;    ///< mask
  const uint64_t SlotsOfSet; ///< padded to whole cache lines
  const bool FillsFreeFirst;
  Policy Order;
  std::vector<uint32_t> Used; ///< filled ways of each set
  BytesOfSets Signatures;
  std::vector<uint32_t> WrittenWays; ///< mask for each set
  std::vector<SectorsOfLine> Lines;  ///< by slot; sectors that can be read
  std::vector<WrittenLine> Written;  ///< by slot
  std::vector<ByteMask> Bytes;       ///< by slot: bytes of partial sectors

  static uint8_t signature(uint64_t Line) { return static_cast<uint8_t>(multiplied(Line) >> 56); }
  /// Returns a mask of the ways whose hash byte matches the line's.
  [[gnu::always_inline]] uint32_t likely(uint32_t Set, uint64_t Line) const {
    const __m128i Wanted = sixteenOf(signature(Line)), *Halves = Signatures.halves(Set);
    return (equalBytes(Halves[0], Wanted) | equalBytes(Halves[1], Wanted) << 16) & AllWays;
  }
  [[gnu::always_inline]] uint32_t victim(uint32_t Set) const {
    if constexpr (!IsLru) // LRU fills ways in order itself
      if (FillsFreeFirst && Used[Set] < Ways)
        return Used[Set];
    return Order.victim(Set);
  }
  /// Returns the way that holds the line among the likely ones, or None.
  [[gnu::noinline]] uint32_t findAmong(uint32_t Likely, uint64_t FirstSlot, uint64_t Line) const {
    for (; Likely != 0; Likely &= Likely - 1)
      if (const auto Way = static_cast<uint32_t>(std::countr_zero(Likely));
          Lines[FirstSlot + Way].line() == Line)
        return Way;
    return None;
  }
  /// Prefetches up to 24 ways; few sets have more.
  template <typename T> [[gnu::always_inline]] static void prefetchAll(const T *First) {
    for (unsigned I = 0; I < 3; ++I)
      __builtin_prefetch(First + I * LinesTogether, /*rw=*/1);
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2SLICE_H
