//===- L1Cache.cpp - L1 cache of an SM ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L1Cache.h"

namespace gmprof::cache {

/// Implementation for a known policy. FindsRefetches: History exists.
template <typename Policy, bool FindsRefetches> class L1Cache::Of {
  const L1Model &Model;
  SectoredCache<Policy> &Cache;
  const uint32_t Sets;
  std::vector<AccessCounts> &Counts;
  L2RequestsWriter ToL2;
  History *const Past;

public:
  Of(const L1Model &Model, SectoredCache<Policy> &Cache, std::vector<AccessCounts> &Counts,
     L2Requests &ToL2, size_t Accesses, size_t Lines, History *Past)
      : Model(Model), Cache(Cache), Sets(Model.Sets), Counts(Counts),
        ToL2(ToL2, Accesses + (Model.LocalWriteBack ? 2 * Lines : 0),
             Model.LocalWriteBack ? 2 * Lines : Lines),
        Past(Past) {}

  void access(std::span<const LineAccess> Accesses, std::span<const CoalescedLine> Lines) {
    const CoalescedLine *Next = Lines.data();
    for (const LineAccess &A : Accesses) {
      const std::span<const CoalescedLine> OfAccess = {Next, A.Lines};
      Next += A.Lines;
      access(A, OfAccess);
    }
  }

private:
  static constexpr uint32_t None = SectoredCache<Policy>::None;
  using Lines = std::span<const CoalescedLine>;

  [[gnu::always_inline]] void access(const LineAccess &A, Lines All) {
    if (A.What == LineAccess::Op::Read && !A.PastL1 && !A.Fence)
      load(A, All);
    else
      accessOtherwise(A, All);
    ToL2.finish(A.Request, A.Cell, A.OfWarp, A.What, A.PastL1);
  }

  [[gnu::noinline]] void accessOtherwise(const LineAccess &A, Lines All) {
    if (A.Fence)
      Cache.makeStale();
    else if (A.Bulk || A.What == LineAccess::Op::Read)
      pass(A, All);
    else if (A.What == LineAccess::Op::Atomic)
      atomic(A, All);
    else if (A.Local && Model.LocalWriteBack)
      localStore(A, All);
    else
      store(A, All);
  }

  /// Writes back the dirty sectors of a line that A's line replaces.
  [[gnu::noinline]] void writeBack(const LineAccess &A, const CachedLine &Old) {
    if (Old.Dirty == 0)
      return;
    ToL2.finish(A.Request, A.Cell, A.OfWarp, A.What, A.PastL1);
    ByteMask Bytes;
    Bytes.addSectors(Old.Dirty);
    ToL2.add({Old.Line, Old.Dirty, L2Line::OfWrite}, Bytes);
    ToL2.finish(A.Request, Old.Owner, A.OfWarp, LineAccess::Op::Write, A.PastL1);
    Counts[Old.Owner].L2Writes += countSectors(Old.Dirty);
  }

  bool isNoted(uint64_t Line) const { return Past->Seen.sample().has(Line); }

  /// Replaces a line of the set by A's line.
  [[gnu::always_inline]] uint32_t allocate(const LineAccess &A, uint64_t Line, uint32_t Set,
                                           unsigned Valid) {
    const uint32_t Slot = Cache.take(Set);
    if (Model.LocalWriteBack)
      writeBack(A, Cache.line(Slot));
    Cache.replace(Slot, Line, Valid);
    if constexpr (FindsRefetches)
      if (isNoted(Line))
        Past->Unused[Slot] = {};
    return Slot;
  }

  [[gnu::always_inline]] uint32_t find(const LineAccess &A, uint64_t Line, uint32_t Set) {
    const uint32_t Slot = Cache.find(Line);
    if (Slot != None && Cache.isStale(Slot))
      forget(A, Slot);
    return Slot;
  }

  /// Drops the contents of a line from before a fence. Local memory is unaffected by fences.
  [[gnu::noinline]] void forget(const LineAccess &A, uint32_t Slot) {
    Cache.makeCurrent(Slot);
    if (A.Local)
      return;
    CachedLine &L = Cache.line(Slot);
    L.Lost |= L.Valid;
    L.Valid = L.Partial = 0;
    if constexpr (FindsRefetches)
      Past->Unused[Slot] = {};
  }

  void pass(const LineAccess &A, Lines All) {
    for (const CoalescedLine &L : All)
      send(A, L, L.Bytes.sectors());
    AccessCounts &C = Counts[A.Cell];
    (A.What == LineAccess::Op::Read    ? C.L2Reads
     : A.What == LineAccess::Op::Write ? C.L2Writes
                                       : C.L2Atomics) += A.Sectors;
    if (!A.Bulk)
      C.L1Lookups += A.Sectors;
  }

  [[gnu::always_inline]] void send(const LineAccess &A, const CoalescedLine &L, unsigned Sectors) {
    if (A.What == LineAccess::Op::Write)
      ToL2.add({L.Line, Sectors, L2Line::OfWrite}, L.Bytes);
    else
      ToL2.add({L.Line, Sectors});
  }

  [[gnu::always_inline]] void load(const LineAccess &A, Lines All) {
    unsigned Misses = 0;
    L2Line *Next = ToL2.begin();
    for (const CoalescedLine &L : All) {
      const uint32_t Set = setOf(L.Line, Sets, Model.Hash);
      uint32_t Slot = find(A, L.Line, Set);
      unsigned Missing = L.Bytes.sectors();
      if (Slot == None) {
        ToL2.end(Next);
        Slot = allocate(A, L.Line, Set, Missing);
        Next = ToL2.begin();
      } else {
        Cache.touch(Set, Slot);
        Missing = missing(A, L, Missing, Slot);
      }
      *Next = {L.Line, Missing};
      if constexpr (FindsRefetches)
        if (isNoted(L.Line))
          note(A, L, Slot, Missing, *Next);
      Next += Missing != 0;
      Misses += countSectors(Missing);
    }
    ToL2.end(Next);
    AccessCounts &C = Counts[A.Cell];
    C.L1Lookups += A.Sectors;
    C.L1Hits += A.Sectors - Misses;
    C.L2Reads += Misses;
  }

  [[gnu::always_inline]] unsigned missing(const LineAccess &A, const CoalescedLine &Of,
                                          unsigned Sectors, uint32_t Slot) {
    CachedLine &L = Cache.line(Slot);
    unsigned Missing = Sectors & ~unsigned(L.Valid);
    if (Missing == 0)
      return 0;
    if (Missing & L.Partial)
      Missing &= ~Cache.written(Slot, Of.Bytes, Missing);
    if (L.Lost != 0) {
      Counts[A.Cell].LostToFences += countSectors(Missing & unsigned(L.Lost));
      L.Lost &= ~Missing;
    }
    L.Valid |= Missing;
    return Missing;
  }

  /// Tracks an access to a line of the sample: counts refetched sectors and bytes used for the
  /// first time. Asked is the request to L2.
  [[gnu::noinline]] void note(const LineAccess &A, const CoalescedLine &L, uint32_t Slot,
                              unsigned Fetched, L2Line &Asked) {
    AccessCounts &C = Counts[A.Cell];
    ByteMask &Unused = Past->Unused[Slot];
    const LineSample &Sample = Past->Seen.sample();
    if (Fetched != 0) {
      Asked = {L.Line, Fetched, L2Line::OfNotedRead + Sample.level()};
      ToL2.addBytes(L.Bytes);
      Unused.addSectors(Fetched);
      const uint64_t Weight = Sample.weight();
      const auto Again = Past->Seen.fetch(L.Line, Fetched, A.Block);
      C.FetchesNoted += Weight * countSectors(Fetched);
      C.FetchedAgain += Weight * countSectors(Again.Any);
      C.FetchedAgainByBlock += Weight * countSectors(Again.ByBlock);
    }
    const unsigned Before = Unused.count();
    Unused.remove(L.Bytes);
    C.BytesOfFetched += Sample.weight() * (Before - Unused.count());
  }

  void store(const LineAccess &A, Lines All) {
    unsigned Hits = 0;
    for (const CoalescedLine &L : All) {
      const unsigned Sectors = L.Bytes.sectors();
      send(A, L, Sectors);
      const uint32_t Set = setOf(L.Line, Sets, Model.Hash);
      uint32_t Slot = find(A, L.Line, Set);
      if (Slot != None && Model.CountsStoreHits) {
        const CachedLine &Known = Cache.line(Slot);
        Hits += (Known.Valid | Known.Partial) != 0 ? countSectors(Sectors) : 0;
      }
      if (Model.Stores == L1Stores::Invalidate) {
        invalidate(Sectors, Slot);
        continue;
      }
      if (Slot == None) {
        if (Model.Stores == L1Stores::Update)
          continue;
        Slot = allocate(A, L.Line, Set, 0);
      } else {
        Cache.touch(Set, Slot);
      }
      Cache.write(Slot, L.Bytes);
      Cache.line(Slot).Lost &= ~Sectors;
      if constexpr (FindsRefetches)
        forgetFetched(L, Slot);
    }
    AccessCounts &C = Counts[A.Cell];
    C.L1Lookups += A.Sectors;
    C.L1Hits += Hits;
    C.L2Writes += A.Sectors;
  }

  /// Forgets fetched bytes after a store: a load now finds the stored ones.
  void forgetFetched(const CoalescedLine &Stored, uint32_t Slot) {
    if (isNoted(Stored.Line))
      Past->Unused[Slot].remove(Stored.Bytes);
  }

  [[gnu::noinline]] void localStore(const LineAccess &A, Lines All) {
    unsigned Hits = 0;
    for (const CoalescedLine &L : All) {
      const unsigned Sectors = L.Bytes.sectors();
      const uint32_t Set = setOf(L.Line, Sets, Model.Hash);
      uint32_t Slot = find(A, L.Line, Set);
      if (Slot == None) {
        Slot = allocate(A, L.Line, Set, 0);
      } else {
        Cache.touch(Set, Slot);
        const CachedLine &Known = Cache.line(Slot);
        if (Model.CountsStoreHits)
          Hits += countSectors(Sectors & unsigned(Known.Valid | Known.Partial));
      }
      Cache.write(Slot, L.Bytes);
      if constexpr (FindsRefetches)
        forgetFetched(L, Slot);
      CachedLine &Now = Cache.line(Slot);
      Now.Dirty |= Sectors;
      Now.Owner = A.Cell;
    }
    AccessCounts &C = Counts[A.Cell];
    C.L1Lookups += A.Sectors;
    C.L1Hits += Hits;
  }

  [[gnu::noinline]] void atomic(const LineAccess &A, Lines All) {
    for (const CoalescedLine &L : All) {
      const unsigned Sectors = L.Bytes.sectors();
      send(A, L, Sectors);
      const uint32_t Slot = find(A, L.Line, setOf(L.Line, Sets, Model.Hash));
      if (Model.AtomicsInvalidate)
        invalidate(Sectors, Slot);
    }
    AccessCounts &C = Counts[A.Cell];
    C.L1Lookups += A.Sectors;
    C.L2Atomics += A.Sectors;
  }

  void invalidate(unsigned Sectors, uint32_t Slot) {
    if (Slot == None)
      return;
    CachedLine &L = Cache.line(Slot);
    L.Valid &= ~Sectors;
    L.Partial &= ~Sectors;
    L.Lost &= ~Sectors;
    if constexpr (FindsRefetches)
      Past->Unused[Slot].clear(Sectors);
  }
};

template <typename Variant, size_t... I>
static Variant makeCache(Replacement Policy, uint32_t Sets, uint32_t Ways, bool FillsFreeFirst,
                         std::index_sequence<I...>) {
  Variant Made(std::in_place_index<0>, 1, 1, false);
  (void)((static_cast<size_t>(Policy) == I &&
          (Made.template emplace<I>(Sets, Ways, FillsFreeFirst), true)) ||
         ...);
  return Made;
}

L1Cache::AnyCache L1Cache::make(const L1Model &Model, uint32_t Lines) {
  return makeCache<AnyCache>(Model.Policy, Model.Sets, std::max(Lines / Model.Sets, 1U),
                             Model.FillsFreeFirst, std::make_index_sequence<Replacements>());
}

L1Cache::L1Cache(const L1Model &Model, uint32_t Lines, bool FindsRefetches)
    : Model(Model), Cache(make(Model, Lines)) {
  if (FindsRefetches)
    Past.emplace(std::visit(
        [](const auto &Known) { return History{{}, std::vector<ByteMask>(Known.slots())}; },
        Cache));
}

void L1Cache::access(std::span<const LineAccess> Accesses, std::span<const CoalescedLine> Lines,
                     std::vector<AccessCounts> &Counts, L2Requests &ToL2) {
  std::visit(
      [&]<typename Policy>(SectoredCache<Policy> &Known) {
        const auto Access = [&]<bool FindsRefetches> {
          Of<Policy, FindsRefetches>(Model, Known, Counts, ToL2, Accesses.size(), Lines.size(),
                                     Past ? &*Past : nullptr)
              .access(Accesses, Lines);
        };
        if (Past)
          Access.template operator()<true>();
        else
          Access.template operator()<false>();
      },
      Cache);
}

} // namespace gmprof::cache
