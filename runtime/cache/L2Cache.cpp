//===- L2Cache.cpp - L2 cache and DRAM ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Cache.h"
#include <unordered_map>

namespace gmprof::cache {

/// Owner of lines written by copies, which have no cell.
static constexpr uint32_t NoOwner = ~0U;
static constexpr unsigned AllSectors = (1U << LineSectors) - 1;
/// Prefetch distance in accesses. Without prefetches, `gmreport simulate` takes 7 % longer
/// (docs/optimisations.md).
static constexpr ptrdiff_t AccessesAhead = 16;

namespace {

/// Work to do when a whole queue has been looked up. Adding is branch-free, because it is
/// unpredictable which elements are wanted; processing prefetches. If done at once, `gmprof
/// recover` takes 7 % longer (docs/optimisations.md).
template <typename T> class Deferred {
  GrowingArray<T> All;
  T *Next = nullptr;

public:
  void makeRoom(size_t Most) { Next = All.roomFor(Most); }
  void add(const T &New, bool IsWanted) {
    *Next = New;
    Next += IsWanted;
  }
  template <typename Prefetch, typename Callable>
  void take(const Prefetch &Fetch, const Callable &Do) {
    constexpr ptrdiff_t Ahead = 8;
    for (const T *Each = All.begin(); Each != Next; ++Each) {
      if (Next - Each > Ahead)
        Fetch(Each[Ahead]);
      Do(*Each);
    }
  }
};

} // namespace

/// Accesses of one thread to slices. Each slice receives all of its accesses before the next one,
/// which keeps its lines in the processor's caches. Aligned to a cache line, one per thread.
template <typename Policy, bool FindsRefetches> class alignas(64) L2Cache::Of {
  const L2Model &Model;
  const uint32_t Sets, FirstCell;
  const unsigned Replicates;    ///< 0 or 1
  const unsigned HitsOfPresent; ///< mask of sectors that count as hits if their line is present
  L2Cache &All;
  Slices<Policy> &TheSlices;
  L2Coalescer *Coalescer = nullptr; ///< of the current slice
  SeenSectors *Seen = nullptr;      ///< likewise, if FindsRefetches
  SplitSectors *Split = nullptr;    ///< likewise
  struct ReadFromDram {
    uint64_t Line;
    uint32_t Cell;
    unsigned Sectors;
  };
  struct ReadByL1 {
    const QueuedLine *Of;
    const ByteMask *Bytes;
  };
  Deferred<ReadFromDram> ToNote;                         ///< if FindsRefetches
  Deferred<ReadByL1> MaySplit;                           ///< likewise
  std::array<uint8_t, 1 << LineSectors> FetchedFor = {}; ///< by mask of sectors: the fetch groups
                                                         ///< that contain them

public:
  std::vector<AccessCounts> Counts;                     ///< counts from FirstCell on
  std::unordered_map<uint32_t, uint64_t> EarlierWrites; ///< DRAM writes of earlier cells
  uint64_t WrittenBack = 0;

  Of(L2Cache &All, Slices<Policy> &TheSlices, uint32_t FirstCell, size_t Cells)
      : Model(All.Model), Sets(All.Sets), FirstCell(FirstCell), Replicates(Model.Replicates),
        HitsOfPresent(Model.CountsMissingSectors ? AllSectors : 0), All(All), TheSlices(TheSlices),
        Counts(Cells) {
    const unsigned Together = Model.FetchBytes / SectorBytes, Group = (1U << Together) - 1;
    for (unsigned Sectors = 0; Sectors < FetchedFor.size(); ++Sectors)
      for (unsigned S = 0; S < LineSectors; S += Together)
        if (Sectors & Group << S)
          FetchedFor[Sectors] |= static_cast<uint8_t>(Group << S);
  }

  /// Processes all accesses waiting for a slice.
  void access(uint32_t S) {
    Coalescer = &All.Coalescers[S];
    if constexpr (FindsRefetches) {
      Seen = &All.Seen[S];
      Split = &All.Split[S];
    }
    for (L2Queues &Waiting : All.Waiting)
      if (!Waiting[S].Lines.empty())
        access(sliceOf(S), Waiting[S]);
  }

  /// Writes all lines of copies waiting for a slice.
  void written(uint32_t S) {
    for (L2Queues &Waiting : All.Waiting)
      if (!Waiting[S].Lines.empty())
        written(sliceOf(S), Waiting[S]);
  }

private:
  using Slice = L2Slice<Policy>;
  using Place = typename Slice::Place;

  Slice &sliceOf(uint32_t S) {
    if (!TheSlices[S])
      TheSlices[S] =
          std::make_unique<Slice>(Sets * Model.Partitions, Model.Ways, Model.FillsFreeFirst);
    return *TheSlices[S];
  }

  void access(Slice &To, L2Queue &Waiting) {
    Coalescer->makePlaces();
    if constexpr (FindsRefetches) {
      ToNote.makeRoom(Model.Partitions * Waiting.Lines.size());
      MaySplit.makeRoom(Waiting.Lines.size());
    }
    const ByteMask *Bytes = Waiting.Bytes.begin(); // of the next line that has some
    const QueuedLine *End = Waiting.Lines.end();
    for (const QueuedLine *A = Waiting.Lines.begin(); A != End; ++A) {
      if (End - A > AccessesAhead)
        prefetch(To, A[AccessesAhead]);
      if (A->By.What == LineAccess::Op::Read)
        read(To, *A, Bytes);
      else if (A->By.What == LineAccess::Op::Write)
        write(To, *A, *Bytes++);
      else
        atomic(To, *A);
    }
    if constexpr (FindsRefetches) {
      noteReads();
      noteSplits();
    }
    Waiting.clear();
  }

  void written(Slice &To, L2Queue &Waiting) {
    for (size_t I = 0; I < Waiting.Lines.size(); ++I) {
      const QueuedLine &A = Waiting.Lines[I];
      To.setDirty(put(To, A.Set, A.Of.line(), Waiting.Bytes[I]), A.Of.sectors(), NoOwner);
      if (Replicates)
        To.invalidate(A.Set ^ 1, A.Of.line(), A.Of.sectors());
    }
    Waiting.clear();
  }

  /// Returns the set in the partition that the SM looks up first.
  uint32_t firstSet(const QueuedLine &A) const { return A.Set ^ (A.IsAway & Replicates); }

  [[gnu::always_inline]] void prefetch(const Slice &To, const QueuedLine &A) const {
    To.prefetch(A.Set, firstSet(A));
    Coalescer->prefetch(A);
  }

  /// Reads a line. Sectors that the first partition lacks come from the line's home, or from DRAM
  /// if it is the home. Advances Bytes if the line has some.
  [[gnu::always_inline]] void read(Slice &To, const QueuedLine &A, const ByteMask *&Bytes) {
    if constexpr (FindsRefetches) {
      const bool IsNoted = A.Bytes != L2Line::None;
      MaySplit.add({&A, Bytes}, IsNoted);
      Bytes += IsNoted;
    }
    AccessCounts &C = Counts[A.By.Cell];
    const unsigned Sectors = A.Of.sectors();
    if (Coalescer->joinsRead(A)) {
      C.L2Reads -= countSectors(Sectors);
      C.Coalesced += countSectors(Sectors);
      return;
    }
    const Lookup First = lookUp(To, firstSet(A), A.Of.line(), Sectors);
    C.L2Hits += countSectors(First.Hits);
    unsigned Fetched = First.Fetched;
    if (A.IsAway) {
      C.OtherPartition += countSectors(Replicates ? Fetched : Sectors);
      if (Replicates && Fetched != 0)
        Fetched = lookUp(To, A.Set, A.Of.line(), Fetched).Fetched;
    }
    countReads(A, Fetched, C);
  }

  struct Lookup {
    unsigned Hits, Fetched; ///< masks; missing sectors are fetched in aligned groups
  };
  [[gnu::always_inline]] Lookup lookUp(Slice &To, uint32_t Set, uint64_t Line, unsigned Sectors) {
    const Place P = To.find(Set, Line);
    if (To.replacesWritten(P))
      writeBack(To, P.Set, P.Way);
    const unsigned Missing = Sectors & ~P.Valid, Fetched = FetchedFor[Missing] & ~P.Valid;
    To.use(P, Line, P.Valid | Fetched);
    return {Sectors & (~Missing | (P.WasThere ? HitsOfPresent : 0)), Fetched};
  }

  /// Writes back the dirty sectors of a line to be replaced.
  [[gnu::noinline]] void writeBack(Slice &To, uint32_t Set, uint32_t Way) {
    const auto [Partial, Dirty, Owner] = To.takeWritten(Set, Way);
    WrittenBack += countSectors(Dirty);
    if (Owner >= FirstCell && Owner != NoOwner)
      Counts[Owner - FirstCell].DramWrites += countSectors(Dirty);
    else if (Owner != NoOwner)
      EarlierWrites[Owner] += countSectors(Dirty);
  }

  void countReads(const QueuedLine &A, unsigned Fetched, AccessCounts &C) {
    C.DramReads += countSectors(Fetched);
    if constexpr (FindsRefetches)
      ToNote.add({A.Of.line(), A.By.Cell, Fetched},
                 Fetched != 0 && Seen->sample().has(A.Of.line()));
  }

  [[gnu::noinline]] void noteReads() {
    ToNote.take([&](const ReadFromDram &R) { Seen->prefetch(R.Line); },
                [&](const ReadFromDram &R) { noteRead(R); });
  }
  void noteRead(const ReadFromDram &R) {
    if (!Seen->sample().has(R.Line)) // the sample has shrunk meanwhile
      return;
    const uint64_t Weight = Seen->sample().weight();
    AccessCounts &C = Counts[R.Cell];
    C.DramReadsNoted += Weight * countSectors(R.Sectors);
    C.DramReadsAgain += Weight * countSectors(Seen->fetch(R.Line, R.Sectors, 0).Any);
  }

  [[gnu::noinline]] void noteSplits() {
    MaySplit.take([&](const ReadByL1 &R) { Split->prefetch(R.Of->Of.line()); },
                  [&](const ReadByL1 &R) { noteSplit(*R.Of, *R.Bytes); });
  }
  /// Counts split sectors of a line that the SM tracks.
  void noteSplit(const QueuedLine &A, const ByteMask &Bytes) {
    const unsigned Level = A.Bytes - L2Line::OfNotedRead;
    if (Level > Split->sample().level())
      Split->raiseLevel(Level);
    if (A.By.PastL1 || !Split->isNoted(A.Of.line()))
      return;
    const uint64_t Weight = Split->sample().weight();
    const unsigned Sectors = A.Of.sectors();
    AccessCounts &C = Counts[A.By.Cell];
    C.SplitsNoted += Weight * countSectors(Sectors);
    C.FetchedSplit += Weight * countSectors(Split->fetch(A.Of.line(), Sectors, Bytes, A.By.Sm));
  }

  void write(Slice &To, const QueuedLine &A, const ByteMask &Bytes) {
    AccessCounts &C = Counts[A.By.Cell];
    const uint64_t Line = A.Of.line();
    const unsigned Sectors = A.Of.sectors();
    if (Coalescer->joinsWrite(A, Bytes)) {
      C.L2Writes -= countSectors(Sectors);
      C.Coalesced += countSectors(Sectors);
      return;
    }
    writeAtHome(To, A, Bytes, C);
    if (A.IsAway) {
      C.OtherPartition += countSectors(Sectors);
      if (Replicates)
        put(To, A.Set ^ 1, Line, Bytes); // copy in the SM's partition
    } else if (Replicates) {
      To.invalidate(A.Set ^ 1, Line, Sectors);
    }
  }

  void writeAtHome(Slice &To, const QueuedLine &A, const ByteMask &Bytes, AccessCounts &C) {
    const unsigned Sectors = A.Of.sectors();
    const Place P = use(To, A.Set, A.Of.line());
    const unsigned Present = P.Valid | To.written(P).Partial | (P.WasThere ? HitsOfPresent : 0);
    C.L2Hits += countSectors(Model.CountsWriteAllocates ? Sectors : Sectors & Present);
    if (Model.FillsPartialWrites) {
      const unsigned Fetched = FetchedFor[Sectors & ~Bytes.fullSectors() & ~P.Valid] & ~P.Valid;
      To.setValid(P, P.Valid | Fetched);
      countReads(A, Fetched, C);
    }
    To.write(P, Bytes);
    To.setDirty(P, Sectors, FirstCell + A.By.Cell);
  }

  void atomic(Slice &To, const QueuedLine &A) {
    AccessCounts &C = Counts[A.By.Cell];
    const uint64_t Line = A.Of.line();
    const unsigned Sectors = A.Of.sectors();
    const Lookup Home = lookUp(To, A.Set, Line, Sectors);
    C.L2Hits += countSectors(Home.Hits);
    countReads(A, Home.Fetched, C);
    if (A.IsAway)
      C.OtherPartition += countSectors(Sectors);
    To.setDirty(To.find(A.Set, Line), Sectors, FirstCell + A.By.Cell);
    if (Replicates)
      To.invalidate(A.Set ^ 1, Line, Sectors);
  }

  /// Returns the place of a line, as the most recently used one.
  Place use(Slice &To, uint32_t Set, uint64_t Line) {
    const Place P = To.find(Set, Line);
    if (To.replacesWritten(P))
      writeBack(To, P.Set, P.Way);
    To.use(P, Line, P.Valid);
    return P;
  }
  /// Writes bytes to a line, without counting.
  Place put(Slice &To, uint32_t Set, uint64_t Line, const ByteMask &Bytes) {
    const Place P = use(To, Set, Line);
    To.write(P, Bytes);
    return P;
  }
};

/// Creates empty slots for slices, which are allocated at the first access.
template <size_t I = 0, typename Variant>
static void makeSlices(Variant &To, const L2Model &Model) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (static_cast<size_t>(Model.Policy) != I)
      return makeSlices<I + 1>(To, Model);
    To.template emplace<I>(Model.Slices);
  }
}

L2Cache::L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches)
    : Model(Model), Sets(std::max(Model.sets() / Sampled, 1U)), Waiting(1, L2Queues(Model.Slices)),
      Seen(FindsRefetches ? Model.Slices : 0),
      Split(Seen.size(), SplitSectors(Model.LineBytes != LineBytes)) {
  for (uint32_t S = 0; S < Model.Slices; ++S)
    Coalescers.emplace_back(Model.CoalescedRequests);
  clear();
  beginLaunch();
}

void L2Cache::beginLaunch() {
  for (SeenSectors &Of : Seen)
    Of.clear();
  for (SplitSectors &Of : Split)
    Of.clear();
  for (L2Coalescer &Of : Coalescers)
    Of.beginLaunch();
}

void L2Cache::clear() { makeSlices(TheSlices, Model); }

/// Lines per thread in queues before slices process them. Large enough to reuse a slice's lines in
/// the processor's caches, small enough for the queues to stay there.
static constexpr size_t LinesAtATime = size_t(1) << 18;

/// Returns the number of threads for this number of lines.
static size_t threadsFor(size_t Lines, size_t Most) {
  constexpr size_t WorthAThread = size_t(1) << 13;
  return std::clamp<size_t>(Lines / WorthAThread, 1, Most);
}

void L2Cache::access(std::vector<L2Requests> &BySm, uint64_t Before, uint32_t FirstCell,
                     std::vector<AccessCounts> &Counts, Workers &All) {
  size_t Lines = 0;
  for (const L2Requests &Of : BySm)
    Lines += Of.Lines.size();
  const size_t Threads = threadsFor(Lines, All.most());
  const size_t Rounds = std::max<size_t>(Lines / Threads / LinesAtATime, 1);
  const L2RequestParts Parts(BySm, Before, Threads * Rounds, All);
  Waiting.resize(std::max(Waiting.size(), Threads), L2Queues(Model.Slices));
  const auto Access = [&]<bool FindsRefetches, typename Policy>(Slices<Policy> &Known) {
    std::vector<Of<Policy, FindsRefetches>> OfThreads;
    OfThreads.reserve(Threads);
    for (size_t T = 0; T < Threads; ++T)
      OfThreads.emplace_back(*this, Known, FirstCell, Counts.size() - FirstCell);
    for (size_t First = 0; First < Parts.size(); First += Threads) {
      const auto Distribute = [&](size_t I, size_t) {
        Parts.distribute(First + I, Model, Sets, Waiting[I]);
      };
      All.run(std::min(Threads, Parts.size() - First), Distribute, Threads);
      const auto Take = [&](size_t S, size_t T) { OfThreads[T].access(static_cast<uint32_t>(S)); };
      All.run(Model.Slices, Take, Threads);
    }
    for (const auto &Of : OfThreads) {
      WrittenBack += Of.WrittenBack;
      for (size_t I = 0; I < Of.Counts.size(); ++I)
        Counts[FirstCell + I] += Of.Counts[I];
      for (const auto &[Cell, Sectors] : Of.EarlierWrites)
        Counts[Cell].DramWrites += Sectors;
    }
  };
  std::visit(
      [&](auto &Known) {
        Seen.empty() ? Access.template operator()<false>(Known)
                     : Access.template operator()<true>(Known);
      },
      TheSlices);
  const auto Remove = [&](size_t Sm, size_t) { BySm[Sm].removeFirst(BySm[Sm].below(Before)); };
  All.run(BySm.size(), Remove, Threads);
}

void L2Cache::written(std::span<const L2Requests> Parts, std::vector<AccessCounts> &Counts,
                      Workers &Threads) {
  Waiting.resize(std::max(Waiting.size(), Parts.size()), L2Queues(Model.Slices));
  const auto Distribute = [&](size_t I, size_t) {
    distributeWritten(Parts[I], Model, Sets, Waiting[I]);
  };
  Threads.run(Parts.size(), Distribute);
  const auto Write = [&]<typename Policy>(Slices<Policy> &Known) {
    std::vector<Of<Policy, false>> OfThreads;
    OfThreads.reserve(Parts.size());
    for (size_t T = 0; T < std::min(Parts.size(), Threads.most()); ++T)
      OfThreads.emplace_back(*this, Known, NoOwner, 0); // all cells belong to earlier launches
    const auto OfSlice = [&](size_t S, size_t T) {
      OfThreads[T].written(static_cast<uint32_t>(S));
    };
    Threads.run(Parts.empty() ? 0 : Model.Slices, OfSlice, OfThreads.size());
    for (const auto &Of : OfThreads) {
      WrittenBack += Of.WrittenBack;
      for (const auto &[Cell, Sectors] : Of.EarlierWrites)
        Counts[Cell].DramWrites += Sectors;
    }
  };
  std::visit(Write, TheSlices);
}

uint64_t L2Cache::dirtySectors() const {
  return std::visit(
      [](const auto &Slices) {
        uint64_t Sum = 0;
        for (const auto &Slice : Slices)
          Sum += Slice ? Slice->dirtySectors() : 0;
        return Sum;
      },
      TheSlices);
}

} // namespace gmprof::cache
