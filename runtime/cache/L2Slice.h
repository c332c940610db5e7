//===- L2Slice.h - The lines of a slice of L2 -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are looked up and replaced whole, and are present by the sector. A slice has 8 bytes of
// each, and a byte of a hash, by which the lines of a set are found at once; what was written of
// them is apart. A lookup takes no branch, as nobody can tell what comes of it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2SLICE_H
#define GMPROF_CACHE_L2SLICE_H

#include "cache/Branchless.h"
#include "cache/L2Queues.h"
#include "cache/LineHash.h"
#include "cache/Replacement.h"
#include "cache/ZeroedArray.h"
#include <utility>

namespace gmprof::cache {

/// Policy: LruOfFew, or any of Replacement.h.
template <typename Policy> class L2Slice {
public:
  /// Ways: 32 at most. FillsFreeFirst: while a set has free ways, its lines go there, whatever the
  /// policy says.
  L2Slice(uint32_t Sets, uint32_t Ways, bool FillsFreeFirst)
      : Ways(Ways), AllWays(firstBits(Ways)),
        SlotsOfSet((Ways + LinesTogether - 1) / LinesTogether * LinesTogether),
        FillsFreeFirst(FillsFreeFirst), Order(Sets, Ways), Used(Sets), Signatures(Sets),
        WrittenWays(Sets), Lines(Sets * SlotsOfSet, NoLine), Written(Lines.size()),
        Bytes(Lines.size()) {}

  /// Of a set.
  struct Place {
    uint32_t Set, Way;
    uint64_t Slot;
    bool WasThere;  ///< the line, or it is to be put there
    unsigned Valid; ///< sectors that can be read, if it was
  };
  [[gnu::always_inline]] Place find(uint32_t Set, uint64_t Line) const {
    const uint32_t Likely = likely(Set, Line), Victim = victim(Set);
    const auto First = static_cast<uint32_t>(std::countr_zero(Likely));
    uint32_t Way = __builtin_unpredictable(Likely != 0) ? First : Victim;
    const uint64_t FirstSlot = Set * SlotsOfSet;
    SectorsOfLine There = Lines[FirstSlot + Way];
    bool WasThere = There.line() == Line;
    if (areAll(!WasThere, Likely != 0)) {
      Way = findAmong(Likely & (Likely - 1), FirstSlot, Line);
      WasThere = Way != None;
      Way = WasThere ? Way : Victim;
      There = Lines[FirstSlot + Way];
    }
    return {Set, Way, FirstSlot + Way, WasThere, There.sectors() & allIf(WasThere)};
  }

  /// Whether what was written of the line that was there is to be forgotten first.
  bool replacesWritten(const Place &P) const {
    return areAll(!P.WasThere, WrittenWays[P.Set] >> P.Way & 1);
  }

  /// Puts the line there, if it was not, as the one that was used last, with these valid sectors.
  [[gnu::always_inline]] void use(const Place &P, uint64_t Line, unsigned Valid) {
    if constexpr (IsLru) { // the same for both
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

  /// What was written of a line: sectors, a bit each.
  struct WrittenLine {
    uint8_t Partial = 0; ///< with some bytes, of those that are not valid
    uint8_t Dirty = 0;   ///< with bytes that DRAM lacks
    uint32_t Owner = 0;  ///< of what is dirty: who wrote last
  };
  const WrittenLine &written(const Place &P) const { return Written[P.Slot]; }

  /// Bytes that were written to a line; sectors that are complete now become valid.
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
  /// Of the line that was there.
  WrittenLine takeWritten(uint32_t Set, uint32_t Way) {
    WrittenWays[Set] &= ~(uint32_t(1) << Way);
    return std::exchange(Written[Set * SlotsOfSet + Way], {});
  }
  /// Makes sectors of the line invalid, if it is there.
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

  /// Has the processor fetch what will be looked at of a set and its neighbour, and the lines of
  /// one of these.
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
  /// That the processor fetches at once.
  static constexpr uint32_t LinesTogether = 64 / sizeof(SectorsOfLine);
  static_assert(sizeof(WrittenLine) == sizeof(SectorsOfLine));

  const uint32_t Ways;
  const uint32_t AllWays;    ///< a bit each
  const uint64_t SlotsOfSet; ///< and some that are not used
  const bool FillsFreeFirst;
  Policy Order;
  std::vector<uint32_t> Used; ///< ways of each set that hold a line
  BytesOfSets Signatures;
  std::vector<uint32_t> WrittenWays; ///< of each set, a bit each
  std::vector<SectorsOfLine> Lines;  ///< of each slot; sectors: that can be read
  std::vector<WrittenLine> Written;  ///< the same
  ZeroedArray<ByteMask> Bytes;       ///< the same: of partial sectors

  static uint8_t signature(uint64_t Line) { return static_cast<uint8_t>(multiplied(Line) >> 56); }
  /// The ways that may have the line, a bit each.
  [[gnu::always_inline]] uint32_t likely(uint32_t Set, uint64_t Line) const {
    const __m128i Wanted = sixteenOf(signature(Line)), *Halves = Signatures.halves(Set);
    return (equalBytes(Halves[0], Wanted) | equalBytes(Halves[1], Wanted) << 16) & AllWays;
  }
  [[gnu::always_inline]] uint32_t victim(uint32_t Set) const {
    if constexpr (!IsLru) // which fills ways in order by itself
      if (FillsFreeFirst && Used[Set] < Ways)
        return Used[Set];
    return Order.victim(Set);
  }
  /// Which of the likely ways has the line.
  [[gnu::noinline]] uint32_t findAmong(uint32_t Likely, uint64_t FirstSlot, uint64_t Line) const {
    for (; Likely != 0; Likely &= Likely - 1)
      if (const auto Way = static_cast<uint32_t>(std::countr_zero(Likely));
          Lines[FirstSlot + Way].line() == Line)
        return Way;
    return None;
  }
  /// Of a set: 24 ways, few have more.
  template <typename T> [[gnu::always_inline]] static void prefetchAll(const T *First) {
    for (unsigned I = 0; I < 3; ++I)
      __builtin_prefetch(First + I * LinesTogether, /*rw=*/1);
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2SLICE_H
