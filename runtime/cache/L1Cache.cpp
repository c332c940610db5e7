//===- L1Cache.cpp - The first level, of one SM ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L1Cache.h"

namespace gmprof::cache {

/// Accesses, with the policy known.
template <typename Policy> class L1Cache::Of {
  const L1Model &Model;
  SectoredCache<Policy> &Cache;
  const uint32_t Sets;
  std::vector<AccessCounts> &Counts;
  L2Requests &ToL2;
  History *const Past; ///< null: nobody asks

public:
  Of(const L1Model &Model, SectoredCache<Policy> &Cache, std::vector<AccessCounts> &Counts,
     L2Requests &ToL2, History *Past)
      : Model(Model), Cache(Cache), Sets(Model.Sets), Counts(Counts), ToL2(ToL2), Past(Past) {}

  void access(std::span<const LineAccess> Accesses) {
    for (size_t I = 0; I < Accesses.size(); ++I) {
      if (Past && I + AccessesAhead < Accesses.size())
        Past->Seen.prefetch(Accesses[I + AccessesAhead].Line);
      access(Accesses[I]);
    }
  }

private:
  static constexpr uint32_t None = SectoredCache<Policy>::None;

  [[gnu::always_inline]] void access(const LineAccess &A) {
    if (A.Fence)
      return Cache.makeStale();
    if (A.Bulk)
      return send(A, A.Sectors, A.What);
    Counts[A.Cell].L1Lookups += A.count();
    const uint32_t Set = setOf(A.Line, Sets, Model.Hash);
    const uint32_t Slot = Cache.find(Set, A.Line);
    if (Slot != None && Cache.isStale(Slot))
      forget(A, Slot);
    if (A.What == LineAccess::Op::Atomic)
      atomic(A, Slot);
    else if (A.What == LineAccess::Op::Read)
      load(A, Set, Slot);
    else if (A.Local && Model.LocalWriteBack)
      localStore(A, Set, Slot);
    else
      store(A, Set, Slot);
  }

  [[gnu::always_inline]] void send(const LineAccess &A, unsigned Sectors, LineAccess::Op What) {
    AccessCounts &C = Counts[A.Cell];
    const unsigned Count = countSectors(Sectors);
    (What == LineAccess::Op::Read    ? C.L2Reads
     : What == LineAccess::Op::Write ? C.L2Writes
                                     : C.L2Atomics) += Count;
    ToL2.add({A.Request, A.Cell, A.OfWarp, What, A.PastL1}, A.Line, Sectors, A.Bytes);
  }

  /// Of a line that A's takes the place of.
  [[gnu::noinline]] void writeBack(const LineAccess &A, const CachedLine &Old) {
    if (Old.Dirty == 0)
      return;
    LineAccess Back = A;
    Back.Line = Old.Line;
    Back.Cell = Old.Owner;
    Back.Bytes = {};
    Back.Bytes.addSectors(Old.Dirty);
    send(Back, Old.Dirty, LineAccess::Op::Write);
  }

  /// Puts A's line in place of another one of the set.
  [[gnu::always_inline]] uint32_t allocate(const LineAccess &A, uint32_t Set) {
    const uint32_t Slot = Cache.victim(Set);
    if (Model.LocalWriteBack)
      writeBack(A, Cache.line(Slot));
    Cache.replace(Set, Slot, A.Line);
    if (Past)
      Past->Unused[Slot] = {};
    return Slot;
  }

  /// What A's line has had since before a fence; memory of a thread alone is subject to none.
  [[gnu::noinline]] void forget(const LineAccess &A, uint32_t Slot) {
    Cache.makeCurrent(Slot);
    if (A.Local)
      return;
    CachedLine &L = Cache.line(Slot);
    L.Lost |= L.Valid;
    L.Valid = L.Partial = 0;
    if (Past)
      Past->Unused[Slot] = {};
  }

  [[gnu::always_inline]] void load(const LineAccess &A, uint32_t Set, uint32_t Slot) {
    if (A.PastL1)
      return send(A, A.Sectors, LineAccess::Op::Read);
    unsigned Missing = A.Sectors;
    if (Slot == None) {
      Slot = allocate(A, Set);
    } else {
      Cache.touch(Set, Slot);
      Missing &= ~unsigned(Cache.line(Slot).Valid);
      if (Missing & Cache.line(Slot).Partial)
        Missing &= ~Cache.written(Slot, A.Bytes, Missing);
      Counts[A.Cell].L1Hits += A.count() - countSectors(Missing);
    }
    if (Missing != 0) {
      CachedLine &L = Cache.line(Slot);
      if (L.Lost != 0) {
        Counts[A.Cell].LostToFences += countSectors(Missing & unsigned(L.Lost));
        L.Lost &= ~Missing;
      }
      L.Valid |= Missing;
      L.Partial &= ~Missing;
      send(A, Missing, LineAccess::Op::Read);
    }
    if (Past)
      note(A, Slot, Missing);
  }

  /// What is fetched again, and which bytes of what was fetched are used for the first time.
  [[gnu::noinline]] void note(const LineAccess &A, uint32_t Slot, unsigned Fetched) {
    AccessCounts &C = Counts[A.Cell];
    ByteMask &Unused = Past->Unused[Slot];
    if (Fetched != 0) {
      const SeenSectors::Again Again = Past->Seen.fetch(A.Line, Fetched, A.Block);
      C.FetchedAgain += countSectors(Again.Any);
      C.FetchedAgainByBlock += countSectors(Again.ByBlock);
      Unused.addSectors(Fetched);
    }
    const unsigned Before = Unused.count();
    Unused.remove(A.Bytes);
    C.BytesOfFetched += Before - Unused.count();
  }

  [[gnu::always_inline]] void store(const LineAccess &A, uint32_t Set, uint32_t Slot) {
    send(A, A.Sectors, LineAccess::Op::Write);
    if (Slot != None && Model.CountsStoreHits) {
      const CachedLine &L = Cache.line(Slot);
      Counts[A.Cell].L1Hits += countSectors(A.Sectors & unsigned(L.Valid | L.Partial));
    }
    if (Model.Stores == L1Stores::Invalidate)
      return invalidate(A, Slot);
    if (Slot == None) {
      if (Model.Stores == L1Stores::Update)
        return;
      Slot = allocate(A, Set);
    } else {
      Cache.touch(Set, Slot);
    }
    Cache.write(Slot, A.Bytes);
    Cache.line(Slot).Lost &= ~A.Sectors;
    if (Past) // what was fetched is not what a load finds now
      Past->Unused[Slot].remove(A.Bytes);
  }

  [[gnu::noinline]] void localStore(const LineAccess &A, uint32_t Set, uint32_t Slot) {
    if (Slot == None) {
      Slot = allocate(A, Set);
    } else {
      Cache.touch(Set, Slot);
      const CachedLine &L = Cache.line(Slot);
      Counts[A.Cell].L1Hits += countSectors(A.Sectors & unsigned(L.Valid | L.Partial));
    }
    Cache.write(Slot, A.Bytes);
    CachedLine &L = Cache.line(Slot);
    L.Dirty |= A.Sectors;
    L.Owner = A.Cell;
  }

  [[gnu::noinline]] void atomic(const LineAccess &A, uint32_t Slot) {
    send(A, A.Sectors, LineAccess::Op::Atomic);
    if (Model.AtomicsInvalidate)
      invalidate(A, Slot);
  }

  void invalidate(const LineAccess &A, uint32_t Slot) {
    if (Slot == None)
      return;
    CachedLine &L = Cache.line(Slot);
    L.Valid &= ~A.Sectors;
    L.Partial &= ~A.Sectors;
    L.Lost &= ~A.Sectors;
    if (Past)
      Past->Unused[Slot].clear(A.Sectors);
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

void L1Cache::access(std::span<const LineAccess> Accesses, std::vector<AccessCounts> &Counts,
                     L2Requests &ToL2) {
  std::visit(
      [&]<typename Policy>(SectoredCache<Policy> &Known) {
        Of<Policy> Level(Model, Known, Counts, ToL2, Past ? &*Past : nullptr);
        Level.access(Accesses);
      },
      Cache);
}

} // namespace gmprof::cache
