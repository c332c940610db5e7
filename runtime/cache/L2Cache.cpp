//===- L2Cache.cpp - The second level, and DRAM ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Cache.h"
#include <thread>
#include <unordered_map>

namespace gmprof::cache {

static constexpr uint32_t SmsPerTpc = 2; ///< neighbouring numbers
/// Of lines that copies have written: no cell.
static constexpr uint32_t NoOwner = ~0U;
/// What the processor is told to fetch is of so many accesses later.
static constexpr size_t Ahead = 16;

namespace {

/// Where a line of L2 lies.
struct Place {
  uint32_t Home; ///< partition
  uint32_t Slice, Set;
};

} // namespace

static Place placeOf(uint64_t Line, const L2Model &Model, uint32_t Sets) {
  const uint32_t Slices = Model.Slices * Model.Partitions;
  uint32_t Slice = 0, Set = 0;
  if (Model.Hash == SetHash::Mixed) {
    const uint64_t Hash = mixed(Line);
    Slice = static_cast<uint32_t>((Hash >> 32) * Slices >> 32);
    Set = static_cast<uint32_t>((Hash & 0xffffffff) * Sets >> 32);
  } else {
    uint64_t Folded = Line;
    if (Model.Hash == SetHash::Xor)
      Folded ^= Line >> 7 ^ Line >> 13 ^ Line >> 19 ^ Line >> 29;
    Slice = static_cast<uint32_t>(Folded % Slices);
    Set = static_cast<uint32_t>(Line / Slices % Sets);
  }
  return {Slice / Model.Slices, Slice % Model.Slices, Set};
}

/// Calls Visit(Sm, Access) for all, in turn.
template <typename Visitor>
static void inTurn(const std::vector<LineAccesses> &BySm, const Visitor &Visit) {
  struct Rest {
    uint32_t Sm;
    const LineAccess *Next, *End;
  };
  std::vector<Rest> Open;
  for (uint32_t Sm = 0; Sm < BySm.size(); ++Sm)
    if (!BySm[Sm].empty())
      Open.push_back({Sm, BySm[Sm].data(), BySm[Sm].data() + BySm[Sm].size()});
  while (!Open.empty()) {
    uint64_t Turn = ~uint64_t(0);
    for (const Rest &R : Open)
      Turn = std::min<uint64_t>(Turn, R.Next->Request);
    // One turn after the other while there is none in which nobody asks.
    for (bool Any = true; Any; ++Turn) {
      Any = false;
      for (Rest &R : Open)
        for (; R.Next != R.End && R.Next->Request <= Turn; ++R.Next) {
          Visit(R.Sm, *R.Next);
          Any = true;
        }
    }
    std::erase_if(Open, [](const Rest &R) { return R.Next == R.End; });
  }
}

/// Accesses to those slices that are First, First + Step and so on. Each slice gets all of its
/// own before the next one, so that what is known of its lines stays in the processor's caches.
template <typename Policy> class L2Cache::Of {
  const L2Model &Model;
  const uint32_t Sets, First, Step, FirstCell;
  Slices<Policy> &All;
  std::vector<std::vector<Placed>> &Waiting;
  std::vector<SeenSectors> &AllSeen;
  std::vector<SplitSectors> &AllSplit;
  std::vector<LateAccesses> &AllLate;
  SeenSectors *Seen = nullptr;   ///< of the slice, if there are any
  SplitSectors *Split = nullptr; ///< the same
  LateAccesses *Late = nullptr;  ///< the same

public:
  std::vector<AccessCounts> Counts;                     ///< what this adds, from FirstCell on
  std::unordered_map<uint32_t, uint64_t> EarlierWrites; ///< and of cells before
  uint64_t WrittenBack = 0;

  Of(const L2Model &Model, uint32_t Sets, uint32_t First, uint32_t Step, uint32_t FirstCell,
     Slices<Policy> &All, std::vector<std::vector<Placed>> &Waiting,
     std::vector<SeenSectors> &AllSeen, std::vector<SplitSectors> &AllSplit,
     std::vector<LateAccesses> &AllLate, size_t Cells)
      : Model(Model), Sets(Sets), First(First), Step(Step), FirstCell(FirstCell), All(All),
        Waiting(Waiting), AllSeen(AllSeen), AllSplit(AllSplit), AllLate(AllLate), Counts(Cells) {}

  void access(const std::vector<LineAccesses> &BySm) {
    inTurn(BySm, [&](uint32_t Sm, const LineAccess &A) {
      const std::vector<uint32_t> &OfTpc = Model.TpcPartitions;
      const auto Own =
          static_cast<uint16_t>(OfTpc.empty() ? 0 : OfTpc[Sm / SmsPerTpc % OfTpc.size()]);
      wait(A, Own, Sm);
    });
    for (uint32_t S = First; S < All.size(); S += Step) {
      Seen = AllSeen.empty() ? nullptr : &AllSeen[S];
      Split = AllSplit.empty() ? nullptr : &AllSplit[S];
      Late = AllLate.empty() ? nullptr : &AllLate[S];
      const std::vector<Placed> &Own = Waiting[S];
      for (size_t I = 0; I < Own.size(); ++I) {
        if (I + Ahead < Own.size())
          prefetch(All[S], Own[I + Ahead]);
        noteSplit(Own[I]);
        if (!coalesced(Own[I]))
          access(All[S], Own[I]);
      }
      Waiting[S].clear();
    }
  }

  void written(const LineAccesses &Lines) {
    for (const LineAccess &A : Lines)
      wait(A, 0, 0);
    for (uint32_t S = First; S < All.size(); S += Step) {
      for (const Placed &P : Waiting[S])
        written(All[S], P);
      Waiting[S].clear();
    }
  }

private:
  using Cache = SectoredCache<Policy>;
  static constexpr uint32_t None = Cache::None;

  static uint64_t count(unsigned Sectors) { return static_cast<uint64_t>(std::popcount(Sectors)); }

  void wait(const LineAccess &A, uint16_t Own, uint32_t Sm) {
    if (Model.LineBytes == LineBytes)
      return place(A, Own, Sm);
    for (unsigned Half = 0; Half < 2; ++Half)
      if (const unsigned Sectors = A.Sectors >> (2 * Half) & 3; Sectors != 0) {
        LineAccess Part = A;
        Part.Line = 2 * A.Line + Half;
        Part.Sectors = static_cast<uint8_t>(Sectors);
        Part.Bytes.Words = {A.Bytes.Words[Half], 0};
        place(Part, Own, Sm);
      }
  }

  void place(const LineAccess &A, uint16_t Own, uint32_t Sm) {
    const Place P = placeOf(A.Line, Model, Sets);
    if (P.Slice % Step == First)
      Waiting[P.Slice].push_back({A, P.Set, static_cast<uint16_t>(P.Home), Own, Sm});
  }

  void prefetch(const Cache &Slice, const Placed &P) const {
    Slice.prefetch(P.Own * Sets + P.Set);
    if (Late)
      Late->prefetch(P.Access.Line);
  }

  void noteSplit(const Placed &P) {
    const LineAccess &A = P.Access;
    if (Split && A.What == LineAccess::Op::Read && !A.PastL1)
      Counts[A.Cell].FetchedSplit += count(Split->fetch(A.Line, A.Sectors, A.Bytes, P.Sm));
  }

  /// Whether another SM has just read all that is read, or another warp of the SM has just written
  /// all that is written.
  bool coalesced(const Placed &P) {
    const LineAccess &A = P.Access;
    if (!Late || A.What == LineAccess::Op::Atomic)
      return false;
    const size_t At = LateAccesses::placeOf(A.Line);
    LateAccess &L = Late->Of[At];
    const bool Known = L.Line == A.Line && L.What == A.What && L.OfWarp == A.OfWarp &&
                       A.Request - L.Request <= Model.CoalescedRequests;
    const bool Same = A.What == LineAccess::Op::Read
                          ? L.Sm != P.Sm && (A.Sectors & ~L.Sectors) == 0
                          : L.Sm == P.Sm && Late->Written[At].has(A.Bytes);
    if (Known && Same) {
      AccessCounts &C = Counts[A.Cell];
      (A.What == LineAccess::Op::Read ? C.L2Reads : C.L2Writes) -= A.count();
      C.Coalesced += A.count();
      return true;
    }
    const unsigned Before = Known ? L.Sectors : 0U;
    L = {A.Line, A.Request, A.OfWarp, P.Sm, static_cast<uint8_t>(A.Sectors | Before), A.What};
    if (A.What == LineAccess::Op::Write)
      Late->Written[At] = A.Bytes;
    return false;
  }

  void written(Cache &Slice, const Placed &P) {
    const LineAccess &A = P.Access;
    const uint32_t Set = P.Home * Sets + P.Set;
    const uint32_t Slot = put(Slice, Set, A);
    Slice.line(Slot).Dirty |= A.Sectors;
    Slice.line(Slot).Owner = NoOwner;
    if (Model.Replicates)
      forget(Slice, (1U - P.Home) * Sets + P.Set, A);
  }

  void access(Cache &Slice, const Placed &P) {
    const LineAccess &A = P.Access;
    if (P.Own != P.Home && (!Model.Replicates || A.What != LineAccess::Op::Read))
      Counts[A.Cell].OtherPartition += A.count();
    const uint32_t HomeSet = P.Home * Sets + P.Set;
    switch (A.What) {
    case LineAccess::Op::Read:
      if (P.Own != P.Home && Model.Replicates)
        readCopy(Slice, P.Own * Sets + P.Set, HomeSet, A);
      else
        read(Slice, HomeSet, A, A.Sectors, true);
      return;
    case LineAccess::Op::Write:
      write(Slice, HomeSet, A);
      if (P.Own != P.Home && Model.Replicates) {
        put(Slice, P.Own * Sets + P.Set, A); // its copy
        return;
      }
      break;
    case LineAccess::Op::Atomic:
      setDirty(Slice, read(Slice, HomeSet, A, A.Sectors, true), A);
      break;
    }
    if (Model.Replicates)
      forget(Slice, (1U - P.Home) * Sets + P.Set, A);
  }

  uint32_t allocate(Cache &Slice, uint32_t Set, uint64_t Line) {
    const uint32_t Slot = Slice.victim(Set);
    if (const CachedLine &Old = Slice.line(Slot); Slice.holds(Slot) && Old.Dirty != 0) {
      WrittenBack += count(Old.Dirty);
      if (Old.Owner >= FirstCell && Old.Owner != NoOwner)
        Counts[Old.Owner - FirstCell].DramWrites += count(Old.Dirty);
      else if (Old.Owner != NoOwner)
        EarlierWrites[Old.Owner] += count(Old.Dirty);
    }
    Slice.replace(Set, Slot, Line);
    return Slot;
  }

  /// Counts what a lookup of Sectors finds in Slot.
  void countHits(const LineAccess &A, const Cache &Slice, uint32_t Slot, unsigned Sectors,
                 unsigned Missing) {
    if (Slot != None)
      Counts[A.Cell].L2Hits += count(Model.CountsMissingSectors ? Sectors : Sectors & ~Missing);
  }

  /// Makes Sectors valid, and returns where they are. Counted: as lookups of this access.
  uint32_t read(Cache &Slice, uint32_t Set, const LineAccess &A, unsigned Sectors, bool Counted) {
    uint32_t Slot = Slice.find(Set, A.Line);
    unsigned Missing = Sectors;
    if (Slot != None)
      Missing &= ~unsigned(Slice.line(Slot).Valid);
    if (Counted)
      countHits(A, Slice, Slot, Sectors, Missing);
    if (Slot == None)
      Slot = allocate(Slice, Set, A.Line);
    else
      Slice.touch(Set, Slot);
    fetch(Slice.line(Slot), A, Missing);
    return Slot;
  }

  /// Sectors come in aligned groups; those of L that are not there yet.
  unsigned fetched(const CachedLine &L, unsigned Missing) const {
    const unsigned Together = Model.FetchBytes / SectorBytes;
    unsigned Fetched = Missing;
    for (unsigned S = 0; S < LineSectors; S += Together)
      if (const unsigned Group = ((1U << Together) - 1) << S; Missing & Group)
        Fetched |= Group;
    return Fetched & ~unsigned(L.Valid);
  }

  void fetch(CachedLine &L, const LineAccess &A, unsigned Missing) {
    if (Missing == 0)
      return;
    const unsigned Fetched = fetched(L, Missing);
    Counts[A.Cell].DramReads += count(Fetched);
    if (Seen)
      Counts[A.Cell].DramReadsAgain += count(Seen->fetch(A.Line, Fetched, 0).Any);
    L.Valid |= static_cast<uint8_t>(Fetched);
    L.Partial &= static_cast<uint8_t>(~Fetched);
  }

  /// Of a partition that is not the line's home.
  void readCopy(Cache &Slice, uint32_t Set, uint32_t HomeSet, const LineAccess &A) {
    uint32_t Slot = Slice.find(Set, A.Line);
    unsigned Missing = A.Sectors;
    if (Slot != None)
      Missing &= ~unsigned(Slice.line(Slot).Valid);
    countHits(A, Slice, Slot, A.Sectors, Missing);
    if (Slot == None)
      Slot = allocate(Slice, Set, A.Line);
    else
      Slice.touch(Set, Slot);
    if (Missing == 0)
      return;
    Missing = fetched(Slice.line(Slot), Missing);
    Counts[A.Cell].OtherPartition += count(Missing);
    read(Slice, HomeSet, A, Missing, false);
    CachedLine &Copy = Slice.line(Slot);
    Copy.Valid |= static_cast<uint8_t>(Missing);
    Copy.Partial &= static_cast<uint8_t>(~Missing);
  }

  void write(Cache &Slice, uint32_t Set, const LineAccess &A) {
    uint32_t Slot = Slice.find(Set, A.Line);
    if (Model.CountsWriteAllocates)
      Counts[A.Cell].L2Hits += A.count();
    else
      countHits(A, Slice, Slot, A.Sectors,
                Slot == None
                    ? A.Sectors
                    : A.Sectors & ~unsigned(Slice.line(Slot).Valid | Slice.line(Slot).Partial));
    if (Slot == None)
      Slot = allocate(Slice, Set, A.Line);
    else
      Slice.touch(Set, Slot);
    if (Model.FillsPartialWrites)
      fetch(Slice.line(Slot), A,
            A.Sectors & ~A.Bytes.fullSectors() & ~unsigned(Slice.line(Slot).Valid));
    Slice.write(Slot, A.Bytes);
    setDirty(Slice, Slot, A);
  }

  /// What is written, without counting it. Returns where it is.
  uint32_t put(Cache &Slice, uint32_t Set, const LineAccess &A) {
    uint32_t Slot = Slice.find(Set, A.Line);
    if (Slot == None)
      Slot = allocate(Slice, Set, A.Line);
    else
      Slice.touch(Set, Slot);
    Slice.write(Slot, A.Bytes);
    return Slot;
  }

  void setDirty(Cache &Slice, uint32_t Slot, const LineAccess &A) {
    CachedLine &L = Slice.line(Slot);
    L.Dirty |= A.Sectors;
    L.Owner = FirstCell + A.Cell;
  }

  void forget(Cache &Slice, uint32_t Set, const LineAccess &A) {
    if (const uint32_t Slot = Slice.find(Set, A.Line); Slot != None) {
      Slice.line(Slot).Valid &= static_cast<uint8_t>(~A.Sectors);
      Slice.line(Slot).Partial &= static_cast<uint8_t>(~A.Sectors);
    }
  }
};

template <size_t I = 0, typename Variant>
static void makeSlices(Variant &To, const L2Model &Model, uint32_t Sets) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (static_cast<size_t>(Model.Policy) != I)
      return makeSlices<I + 1>(To, Model, Sets);
    auto &Slices = To.template emplace<I>();
    for (uint32_t S = 0; S < Model.Slices; ++S)
      Slices.emplace_back(Sets * Model.Partitions, Model.Ways, Model.FillsFreeFirst);
  }
}

L2Cache::L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches)
    : Model(Model), Sets(std::max(Model.sets() / Sampled, 1U)), Waiting(Model.Slices),
      Seen(FindsRefetches ? Model.Slices : 0), Split(Seen.size()),
      Late(Model.CoalescedRequests == 0 ? 0 : Model.Slices) {
  clear();
  beginLaunch();
}

void L2Cache::beginLaunch() {
  for (SeenSectors &Of : Seen)
    Of.clear();
  for (SplitSectors &Of : Split)
    Of.clear();
  for (LateAccesses &Of : Late)
    Of.clear();
}

void L2Cache::clear() { makeSlices(TheSlices, Model, Sets); }

void L2Cache::access(const std::vector<LineAccesses> &BySm, uint32_t FirstCell,
                     std::vector<AccessCounts> &Counts, unsigned Threads) {
  Threads = std::clamp(Threads, 1U, Model.Slices);
  std::visit(
      [&]<typename Policy>(Slices<Policy> &Known) {
        std::vector<Of<Policy>> Parts;
        Parts.reserve(Threads);
        for (unsigned T = 0; T < Threads; ++T)
          Parts.emplace_back(Model, Sets, T, Threads, FirstCell, Known, Waiting, Seen, Split, Late,
                             Counts.size() - FirstCell);
        {
          std::vector<std::jthread> Others;
          for (unsigned T = 1; T < Threads; ++T)
            Others.emplace_back([&, T] { Parts[T].access(BySm); });
          Parts[0].access(BySm);
        }
        for (const Of<Policy> &P : Parts) {
          WrittenBack += P.WrittenBack;
          for (size_t I = 0; I < P.Counts.size(); ++I)
            Counts[FirstCell + I] += P.Counts[I];
          for (const auto &[Cell, Sectors] : P.EarlierWrites)
            Counts[Cell].DramWrites += Sectors;
        }
      },
      TheSlices);
}

void L2Cache::written(const LineAccesses &Lines, std::vector<AccessCounts> &Counts) {
  std::visit(
      [&]<typename Policy>(Slices<Policy> &Known) {
        // All cells are of earlier launches.
        Of<Policy> Part(Model, Sets, 0, 1, NoOwner, Known, Waiting, Seen, Split, Late, 0);
        Part.written(Lines);
        WrittenBack += Part.WrittenBack;
        for (const auto &[Cell, Sectors] : Part.EarlierWrites)
          Counts[Cell].DramWrites += Sectors;
      },
      TheSlices);
}

uint64_t L2Cache::dirtySectors() const {
  return std::visit(
      [](const auto &Slices) {
        uint64_t Sum = 0;
        for (const auto &Slice : Slices)
          for (uint32_t I = 0; I < Slice.slots(); ++I)
            Sum += static_cast<uint64_t>(std::popcount(unsigned(Slice.line(I).Dirty)));
        return Sum;
      },
      TheSlices);
}

} // namespace gmprof::cache
