//===- L2Cache.cpp - The second level, and DRAM ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Cache.h"
#include "cache/Divisor.h"
#include "profile/Parallel.h"
#include <unordered_map>

namespace gmprof::cache {

static constexpr uint32_t SmsPerTpc = 2; ///< neighbouring numbers
/// Of lines that copies have written: no cell.
static constexpr uint32_t NoOwner = ~0U;
/// The same of places of a queue: each queue is written to in turn.
static constexpr ptrdiff_t PlacesAhead = 6;

namespace {

/// Where a line of L2 lies.
struct Place {
  uint32_t Home; ///< partition
  uint32_t Slice, Set;
};

/// Where lines lie.
class Places {
  const SetHash Hash;
  const uint32_t SlicesOfHome, AllSlices, Sets;
  const Divisor BySlices, BySets;

public:
  Places(const L2Model &Model, uint32_t Sets)
      : Hash(Model.Hash), SlicesOfHome(Model.Slices), AllSlices(Model.Slices * Model.Partitions),
        Sets(Sets), BySlices(AllSlices), BySets(Sets) {}

  Place of(uint64_t Line) const {
    uint32_t Slice = 0, Set = 0;
    if (Hash == SetHash::Mixed) {
      const uint64_t Mixed = mixed(Line);
      Slice = static_cast<uint32_t>((Mixed >> 32) * AllSlices >> 32);
      Set = static_cast<uint32_t>((Mixed & 0xffffffff) * Sets >> 32);
    } else {
      uint64_t Folded = Line;
      if (Hash == SetHash::Xor)
        Folded ^= Line >> 7 ^ Line >> 13 ^ Line >> 19 ^ Line >> 29;
      Slice = static_cast<uint32_t>(BySlices.rest(Folded));
      Set = static_cast<uint32_t>(BySets.rest(BySlices.quotient(Line)));
    }
    const uint32_t Home = Slice >= SlicesOfHome; // of two at most
    return {Home, Slice - Home * SlicesOfHome, Set};
  }
};

} // namespace

namespace {

/// Of what an SM asks for: a part.
struct Span {
  uint32_t Sm;
  const L2Requests *Of;
  size_t Next, End;
  L2Requests::Sizes Before; ///< the part
};

/// Calls Visit(Sm, Request, its lines, their bytes or null) for all, in turn.
template <typename Visitor> void inTurn(const std::vector<Span> &Spans, const Visitor &Visit) {
  struct Rest {
    uint32_t Sm;
    const L2Requests *Of;
    const L2Request *Next, *End;
    const L2Line *Lines;
    const ByteMask *Bytes;
  };
  std::vector<Rest> Open;
  for (const Span &S : Spans)
    if (S.Next != S.End)
      Open.push_back({S.Sm, S.Of, S.Of->All.data() + S.Next, S.Of->All.data() + S.End,
                      S.Of->Lines.data() + S.Before.Lines, S.Of->Bytes.data() + S.Before.Bytes});
  while (!Open.empty()) {
    uint64_t Turn = ~uint64_t(0);
    for (const Rest &R : Open)
      Turn = std::min<uint64_t>(Turn, R.Next->Request);
    // One turn after the other while there is none in which nobody asks.
    for (bool Any = true; Any; ++Turn) {
      Any = false;
      for (Rest &R : Open)
        for (; R.Next != R.End && R.Next->Request <= Turn; ++R.Next) {
          const bool HaveBytes = R.Of->haveBytes(R.Next->What);
          Visit(R.Sm, *R.Next, R.Lines, HaveBytes ? R.Bytes : nullptr);
          R.Lines += R.Next->Lines;
          R.Bytes += HaveBytes ? R.Next->Lines : 0;
          Any = true;
        }
    }
    std::erase_if(Open, [](const Rest &R) { return R.Next == R.End; });
  }
}

size_t countLines(const std::vector<L2Requests> &BySm) {
  size_t Lines = 0;
  for (const L2Requests &Of : BySm)
    Lines += Of.Lines.size();
  return Lines;
}

/// Numbers of requests which divide what those below Before ask for into so many parts of about
/// equal size: the parts' ends.
std::vector<uint64_t> divided(const std::vector<L2Requests> &BySm, uint64_t Before, size_t Parts) {
  constexpr size_t Samples = 4096;
  std::vector<uint64_t> Numbers;
  const size_t Step = countLines(BySm) / Samples + 1;
  size_t Lines = 0;
  for (const L2Requests &Of : BySm)
    for (size_t I = 0, Count = Parts == 1 ? 0 : Of.below(Before); I < Count; ++I)
      for (Lines += Of.All[I].Lines; Lines >= Step; Lines -= Step)
        Numbers.push_back(Of.All[I].Request);
  std::sort(Numbers.begin(), Numbers.end());
  std::vector<uint64_t> Ends;
  for (size_t Part = 1; Part < Parts && !Numbers.empty(); ++Part)
    Ends.push_back(Numbers[Part * Numbers.size() / Parts]);
  Ends.push_back(Before);
  return Ends;
}

/// What each SM asks for by those ends.
std::vector<std::vector<Span>> spansOf(const std::vector<L2Requests> &BySm,
                                       const std::vector<uint64_t> &Ends) {
  std::vector<std::vector<Span>> Parts(Ends.size());
  for (uint32_t Sm = 0; Sm < BySm.size(); ++Sm) {
    const L2Requests &Of = BySm[Sm];
    size_t First = 0;
    L2Requests::Sizes Before;
    for (size_t P = 0; P < Parts.size(); ++P) {
      const size_t End = Of.below(Ends[P]);
      Parts[P].push_back({Sm, &Of, First, End, Before});
      if (P + 1 < Parts.size()) {
        const L2Requests::Sizes Part = Of.sizes(First, End - First);
        Before.Lines += Part.Lines;
        Before.Bytes += Part.Bytes;
      }
      First = End;
    }
  }
  return Parts;
}

} // namespace

/// Puts requests into the queues of slices.
class L2Cache::Distribution {
  const L2Model &Model;
  const Places Lines;
  Queues &To;

public:
  Distribution(const L2Model &Model, uint32_t Sets, Queues &To)
      : Model(Model), Lines(Model, Sets), To(To) {}

  void add(const std::vector<Span> &Spans) {
    std::vector<uint8_t> Own(Spans.size()); // partitions
    if (const std::vector<uint32_t> &OfTpc = Model.TpcPartitions; !OfTpc.empty())
      for (size_t Sm = 0; Sm < Own.size(); ++Sm)
        Own[Sm] = static_cast<uint8_t>(OfTpc[Sm / SmsPerTpc % OfTpc.size()]);
    inTurn(Spans, [&](uint32_t Sm, const L2Request &R, const L2Line *Of, const ByteMask *Bytes) {
      add(R, Of, Bytes, Own[Sm], static_cast<uint16_t>(Sm));
    });
  }

  void add(const L2Request &R, const L2Line *Of, const ByteMask *Bytes, uint8_t Own, uint16_t Sm) {
    const Placed New = {{}, R.Request, R.Cell,   R.OfWarp, 0,   0,
                        Sm, R.What,    R.PastL1, 0,        Own, Bytes != nullptr};
    for (unsigned I = 0, Count = R.Lines; I < Count; ++I)
      if (Model.LineBytes == LineBytes)
        place(New, Of[I], Bytes ? Bytes + I : nullptr);
      else
        placeHalves(New, Of[I], Bytes ? Bytes + I : nullptr);
  }

private:
  void placeHalves(const Placed &New, L2Line Line, const ByteMask *Bytes) {
    for (unsigned Half = 0; Half < 2; ++Half)
      if (const uint64_t Sectors = Line.Sectors >> (2 * Half) & 3; Sectors != 0) {
        const ByteMask OfPart = {{Bytes ? Bytes->Words[Half] : 0, 0}};
        place(New, {2 * Line.Line + Half, Sectors}, Bytes ? &OfPart : nullptr);
      }
  }

  [[gnu::always_inline]] void place(Placed New, L2Line Line, const ByteMask *Bytes) {
    const Place P = Lines.of(Line.Line);
    New.Line = Line.Line;
    New.Sectors = Line.Sectors;
    New.Set = P.Set;
    New.Home = static_cast<uint8_t>(P.Home);
    New.Late = LateAccesses::placeOf(Line.Line);
    Queue &Of = To[P.Slice];
    Of.All.push_back(New);
    __builtin_prefetch(&Of.All.back() + PlacesAhead, /*rw=*/1);
    if (Bytes)
      Of.Bytes.push_back(*Bytes);
  }
};

/// Accesses to slices. Each one gets all of its own before the next one, so that what is known of
/// its lines stays in the processor's caches. Aligned, as each thread has one of these.
template <typename Policy> class alignas(64) L2Cache::Of {
  const L2Model &Model;
  const uint32_t Sets, FirstCell;
  Slices<Policy> &All;
  std::vector<Queues> &Waiting;
  std::vector<SeenSectors> &AllSeen;
  std::vector<SplitSectors> &AllSplit;
  std::vector<LateAccesses> &AllLate;
  SeenSectors *Seen = nullptr;                           ///< of the slice, if there are any
  SplitSectors *Split = nullptr;                         ///< the same
  LateAccesses *Late = nullptr;                          ///< the same
  std::array<uint8_t, 1 << LineSectors> FetchedFor = {}; ///< sectors: the groups that they are of

public:
  std::vector<AccessCounts> Counts;                     ///< what this adds, from FirstCell on
  std::unordered_map<uint32_t, uint64_t> EarlierWrites; ///< and of cells before
  uint64_t WrittenBack = 0;

  Of(const L2Model &Model, uint32_t Sets, uint32_t FirstCell, Slices<Policy> &All,
     std::vector<Queues> &Waiting, std::vector<SeenSectors> &AllSeen,
     std::vector<SplitSectors> &AllSplit, std::vector<LateAccesses> &AllLate, size_t Cells)
      : Model(Model), Sets(Sets), FirstCell(FirstCell), All(All), Waiting(Waiting),
        AllSeen(AllSeen), AllSplit(AllSplit), AllLate(AllLate), Counts(Cells) {
    const unsigned Together = Model.FetchBytes / SectorBytes, Group = (1U << Together) - 1;
    for (unsigned Sectors = 0; Sectors < FetchedFor.size(); ++Sectors)
      for (unsigned S = 0; S < LineSectors; S += Together)
        if (Sectors & Group << S)
          FetchedFor[Sectors] |= static_cast<uint8_t>(Group << S);
  }

  void access(uint32_t S) {
    Seen = AllSeen.empty() ? nullptr : &AllSeen[S];
    Split = AllSplit.empty() ? nullptr : &AllSplit[S];
    Late = AllLate.empty() ? nullptr : &AllLate[S];
    for (Queues &Of : Waiting) {
      if (Of[S].All.empty())
        continue;
      Cache &Slice = makeSlice(S);
      if (Of[S].All.size() > Slice.slots() / 2)
        Slice.prefetch(); // which is faster than as they come
      if (Late)
        Late->makePlaces();
      takeAll(Of[S], [&](const Placed *P, const ByteMask *Bytes, const Placed *End) {
        if (End - P > AccessesAhead)
          prefetch(Slice, P[AccessesAhead]);
        noteSplit(*P, Bytes);
        if (!coalesced(*P, Bytes))
          access(Slice, *P, Bytes);
      });
    }
  }

  void written(uint32_t S) {
    takeAll(Waiting[0][S], [&](const Placed *P, const ByteMask *Bytes, const Placed *) {
      written(makeSlice(S), *P, *Bytes);
    });
  }

private:
  using Cache = SectoredCache<Policy>;

  Cache &makeSlice(uint32_t S) {
    if (!All[S])
      All[S] = std::make_unique<Cache>(Sets * Model.Partitions, Model.Ways, Model.FillsFreeFirst);
    return *All[S];
  }

  /// Calls Visit(what waits, its bytes or null, the end of what waits) for all.
  template <typename Visitor> static void takeAll(Queue &From, const Visitor &Visit) {
    const ByteMask *Bytes = From.Bytes.data();
    const Placed *End = From.All.data() + From.All.size();
    for (const Placed *P = From.All.data(); P != End; ++P)
      Visit(P, P->HasBytes ? Bytes++ : nullptr, End);
    From.All.clear();
    From.Bytes.clear();
  }

  void prefetch(const Cache &Slice, const Placed &P) const {
    Slice.prefetch(P.Own * Sets + P.Set);
    if (Late)
      Late->prefetch(P.Late);
    if (Seen)
      Seen->prefetch(P.Line);
    if (Split)
      Split->prefetch(P.Line);
  }

  void noteSplit(const Placed &A, const ByteMask *Bytes) {
    if (Split && A.What == LineAccess::Op::Read && !A.PastL1)
      Counts[A.Cell].FetchedSplit += countSectors(Split->fetch(A.Line, A.Sectors, *Bytes, A.Sm));
  }

  /// Whether another SM has just read all that is read, or another warp of the SM has just written
  /// all that is written.
  bool coalesced(const Placed &A, const ByteMask *Bytes) {
    if (!Late || A.What == LineAccess::Op::Atomic)
      return false;
    LateAccess &L = Late->Of[A.Late];
    // Compared at once: the line often is the same, all of it hardly ever.
    const uint64_t Different = (L.Line ^ A.Line) | (L.OfWarp ^ A.OfWarp) |
                               static_cast<uint64_t>(L.Launch ^ Late->Launch) |
                               (static_cast<uint64_t>(L.What) ^ static_cast<uint64_t>(A.What));
    const bool Known = Different == 0 && A.Request - L.Request <= Model.CoalescedRequests;
    if (Known &&
        (A.What == LineAccess::Op::Read ? L.Sm != A.Sm && (A.Sectors & ~uint64_t(L.Sectors)) == 0
                                        : L.Sm == A.Sm && Late->Written[A.Late].has(*Bytes))) {
      AccessCounts &C = Counts[A.Cell];
      (A.What == LineAccess::Op::Read ? C.L2Reads : C.L2Writes) -= A.count();
      C.Coalesced += A.count();
      return true;
    }
    const unsigned Before = Known ? L.Sectors : 0U;
    L = {A.Line, A.Request,   A.OfWarp, A.Sm, static_cast<uint8_t>(A.Sectors | Before),
         A.What, Late->Launch};
    if (A.What == LineAccess::Op::Write)
      Late->Written[A.Late] = *Bytes;
    return false;
  }

  void written(Cache &Slice, const Placed &A, const ByteMask &Bytes) {
    CachedLine &L = put(Slice, A.Home * Sets + A.Set, A.Line, Bytes);
    L.Dirty |= A.Sectors;
    L.Owner = NoOwner;
    if (Model.Replicates)
      forget(Slice, (1U - A.Home) * Sets + A.Set, A);
  }

  void access(Cache &Slice, const Placed &A, const ByteMask *Bytes) {
    AccessCounts &C = Counts[A.Cell];
    if ((!Model.Replicates || A.What != LineAccess::Op::Read) && A.Own != A.Home)
      C.OtherPartition += A.count();
    const uint32_t HomeSet = A.Home * Sets + A.Set;
    switch (A.What) {
    case LineAccess::Op::Read:
      read(Slice, (Model.Replicates ? A.Own : A.Home) * Sets + A.Set, HomeSet, A, C);
      return;
    case LineAccess::Op::Write:
      write(Slice, HomeSet, A, *Bytes, C);
      if (A.Own != A.Home && Model.Replicates) {
        put(Slice, A.Own * Sets + A.Set, A.Line, *Bytes); // its copy
        return;
      }
      break;
    case LineAccess::Op::Atomic:
      setDirty(read(Slice, HomeSet, HomeSet, A, C), A);
      break;
    }
    if (Model.Replicates)
      forget(Slice, (1U - A.Home) * Sets + A.Set, A);
  }

  /// Puts the line in place of another one of the set.
  uint32_t allocate(Cache &Slice, uint32_t Set, uint64_t Line) {
    const uint32_t Slot = Slice.victim(Set);
    if (const CachedLine &Old = Slice.line(Slot); Old.Dirty != 0) {
      WrittenBack += countSectors(Old.Dirty);
      if (Old.Owner >= FirstCell && Old.Owner != NoOwner)
        Counts[Old.Owner - FirstCell].DramWrites += countSectors(Old.Dirty);
      else if (Old.Owner != NoOwner)
        EarlierWrites[Old.Owner] += countSectors(Old.Dirty);
    }
    Slice.replace(Set, Slot, Line);
    return Slot;
  }

  struct Found {
    uint32_t Slot;
    bool WasThere;
  };
  /// Where the line is now, as the one that was used last.
  Found use(Cache &Slice, uint32_t Set, uint64_t Line) {
    if (const uint32_t Slot = Slice.find(Set, Line); Slot != Cache::None) {
      Slice.touch(Set, Slot);
      return {Slot, true};
    }
    return {allocate(Slice, Set, Line), false};
  }

  /// How many sectors count as hits of a lookup that found all but the missing ones.
  unsigned hits(const Placed &A, bool WasThere, unsigned Missing) const {
    return countSectors(WasThere && Model.CountsMissingSectors ? A.Sectors : A.Sectors & ~Missing);
  }

  /// Makes sectors of the line valid that are not. They come in aligned groups, of which this
  /// returns those that were not there yet.
  unsigned fetch(CachedLine &L, unsigned Sectors) const {
    const unsigned Fetched = FetchedFor[Sectors & ~unsigned(L.Valid)] & ~unsigned(L.Valid);
    L.Valid |= Fetched;
    L.Partial &= ~Fetched;
    return Fetched;
  }

  void countReads(const Placed &A, unsigned Fetched, AccessCounts &C) {
    C.DramReads += countSectors(Fetched);
    if (Seen && Fetched != 0)
      C.DramReadsAgain += countSectors(Seen->fetch(A.Line, Fetched, 0).Any);
  }

  /// From a partition that asks the line's home for what it lacks, unless it is that itself.
  CachedLine &read(Cache &Slice, uint32_t Set, uint32_t HomeSet, const Placed &A, AccessCounts &C) {
    const Found Own = use(Slice, Set, A.Line);
    CachedLine &L = Slice.line(Own.Slot);
    C.L2Hits += hits(A, Own.WasThere, A.Sectors & ~unsigned(L.Valid));
    unsigned Fetched = fetch(L, A.Sectors);
    if (Fetched != 0 && Set != HomeSet) {
      C.OtherPartition += countSectors(Fetched);
      Fetched = fetch(Slice.line(use(Slice, HomeSet, A.Line).Slot), Fetched);
    }
    countReads(A, Fetched, C);
    return L;
  }

  void write(Cache &Slice, uint32_t Set, const Placed &A, const ByteMask &Bytes, AccessCounts &C) {
    const Found Own = use(Slice, Set, A.Line);
    CachedLine &L = Slice.line(Own.Slot);
    C.L2Hits += Model.CountsWriteAllocates
                    ? A.count()
                    : hits(A, Own.WasThere, A.Sectors & ~unsigned(L.Valid | L.Partial));
    if (Model.FillsPartialWrites)
      countReads(A, fetch(L, A.Sectors & ~Bytes.fullSectors()), C);
    Slice.write(Own.Slot, Bytes);
    setDirty(L, A);
  }

  /// What is written, without counting it.
  CachedLine &put(Cache &Slice, uint32_t Set, uint64_t Line, const ByteMask &Bytes) {
    const uint32_t Slot = use(Slice, Set, Line).Slot;
    Slice.write(Slot, Bytes);
    return Slice.line(Slot);
  }

  void setDirty(CachedLine &L, const Placed &A) {
    L.Dirty |= A.Sectors;
    L.Owner = FirstCell + A.Cell;
  }

  void forget(Cache &Slice, uint32_t Set, const Placed &A) {
    if (const uint32_t Slot = Slice.find(Set, A.Line); Slot != Cache::None) {
      Slice.line(Slot).Valid &= ~A.Sectors;
      Slice.line(Slot).Partial &= ~A.Sectors;
    }
  }
};

/// For none of them there is memory before it is accessed.
template <size_t I = 0, typename Variant>
static void makeSlices(Variant &To, const L2Model &Model) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (static_cast<size_t>(Model.Policy) != I)
      return makeSlices<I + 1>(To, Model);
    To.template emplace<I>(Model.Slices);
  }
}

L2Cache::L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches)
    : Model(Model), Sets(std::max(Model.sets() / Sampled, 1U)), Waiting(1, Queues(Model.Slices)),
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
    Of.beginLaunch();
}

void L2Cache::clear() { makeSlices(TheSlices, Model); }

/// That each thread puts into queues before slices take them. Many, as what a slice has of its
/// lines in the processor's caches is gone when its next ones come.
static constexpr size_t LinesAtATime = size_t(1) << 20;

/// Threads for so many lines.
static size_t threadsFor(size_t Lines, unsigned Most) {
  constexpr size_t WorthAThread = size_t(1) << 13;
  return std::clamp<size_t>(Lines / WorthAThread, 1, std::max(Most, 1U));
}

void L2Cache::access(std::vector<L2Requests> &BySm, uint64_t Before, uint32_t FirstCell,
                     std::vector<AccessCounts> &Counts, unsigned MostThreads) {
  const size_t Lines = countLines(BySm), Threads = threadsFor(Lines, MostThreads);
  const size_t Rounds = std::max<size_t>(Lines / Threads / LinesAtATime, 1);
  const std::vector<uint64_t> Ends = divided(BySm, Before, Threads * Rounds);
  const std::vector<std::vector<Span>> Spans = spansOf(BySm, Ends);
  Waiting.resize(std::max(Waiting.size(), Threads), Queues(Model.Slices));
  std::visit(
      [&]<typename Policy>(Slices<Policy> &Known) {
        std::vector<Of<Policy>> Parts;
        Parts.reserve(Threads);
        for (size_t T = 0; T < Threads; ++T)
          Parts.emplace_back(Model, Sets, FirstCell, Known, Waiting, Seen, Split, Late,
                             Counts.size() - FirstCell);
        for (size_t First = 0; First < Spans.size(); First += Threads) {
          const auto Distribute = [&](size_t I) {
            Distribution(Model, Sets, Waiting[I]).add(Spans[First + I]);
          };
          inParallel(std::min(Threads, Spans.size() - First), Distribute, Threads);
          std::atomic<uint32_t> Next = 0;
          const auto Access = [&](size_t T) {
            for (uint32_t S = Next++; S < Model.Slices; S = Next++)
              Parts[T].access(S);
          };
          inParallel(Parts.size(), Access, Threads);
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
  const auto Remove = [&](size_t Sm) { BySm[Sm].removeFirst(BySm[Sm].below(Before)); };
  inParallel(BySm.size(), Remove, Threads);
}

void L2Cache::written(const L2Requests &Lines, std::vector<AccessCounts> &Counts) {
  Distribution To(Model, Sets, Waiting[0]);
  size_t Before = 0;
  for (const L2Request &R : Lines.All) {
    To.add(R, &Lines.Lines[Before], &Lines.Bytes[Before], 0, 0);
    Before += R.Lines;
  }
  std::visit(
      [&]<typename Policy>(Slices<Policy> &Known) {
        // All cells are of earlier launches.
        Of<Policy> Part(Model, Sets, NoOwner, Known, Waiting, Seen, Split, Late, 0);
        for (uint32_t S = 0; S < Model.Slices; ++S)
          Part.written(S);
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
          for (uint32_t I = 0; Slice && I < Slice->slots(); ++I)
            Sum += countSectors(Slice->line(I).Dirty);
        return Sum;
      },
      TheSlices);
}

} // namespace gmprof::cache
