//===- ReferenceSimulator.h - Plain simulator of the cache model -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements docs/cache-model.md line by line, with maps and vectors. Shares GPUs, requests, hash
// functions, byte masks, TreePlru and the struct of counts with cache::Simulator, but no
// simulation. Leaves out what the simulator notes for poor_cache_locality. Requires copies smaller
// than L2.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CACHE_REFERENCESIMULATOR_H
#define GMPROF_TEST_CACHE_REFERENCESIMULATOR_H

#include "cache/LineHash.h"
#include "cache/Simulator.h"

namespace gmprof::cache::reference {

inline ByteMask bytesOfSectors(unsigned Sectors) {
  ByteMask Of;
  Of.addSectors(Sectors);
  return Of;
}
inline ByteMask without(ByteMask A, const ByteMask &B) {
  A.remove(B);
  return A;
}

/// Replacement order of the ways of a set: LRU, or PLRU in one tree or several ones, which provide
/// the victim in turn.
class Order {
  std::vector<uint32_t> Recent; ///< LRU: ways, the least recently used one first
  std::vector<TreePlru> Trees;  ///< way w is in tree w modulo their number
  uint32_t Next = 0;            ///< tree of the next victim
  uint32_t trees() const { return static_cast<uint32_t>(Trees.size()); }

public:
  Order(Replacement Policy, uint32_t Ways) {
    for (uint32_t Way = 0; Policy == Replacement::Lru && Way < Ways; ++Way)
      Recent.push_back(Way);
    const uint32_t Count = Policy == Replacement::GroupedPlru ? std::max(Ways / 16, 1U) : 1;
    for (uint32_t T = 0; T < Count; ++T)
      Trees.emplace_back(1, (Ways - T + Count - 1) / Count);
  }
  void use(uint32_t Way, bool IsNew) {
    if (std::erase(Recent, Way) != 0)
      Recent.push_back(Way);
    Trees[Way % trees()].touch(0, Way / trees());
    Next = IsNew ? (Way + 1) % trees() : Next;
  }
  uint32_t victim() const {
    return Recent.empty() ? Trees[Next].victim(0) * trees() + Next : Recent.front();
  }
};

struct Line {
  uint64_t Number = 0;
  unsigned Valid = 0, Dirty = 0; ///< sectors
  unsigned Lost = 0;             ///< sectors that were valid before a fence
  ByteMask Written = {};         ///< in sectors that are not valid
  AccessCounts *Owner = nullptr; ///< of the access that wrote the dirty sectors last

  void fetch(unsigned Sectors) {
    Valid |= Sectors;
    Written.clear(Sectors);
  }
  /// Writes bytes; sectors that become complete become valid.
  void write(const ByteMask &New) {
    Written |= without(New, bytesOfSectors(Valid));
    fetch(Written.fullSectors());
  }
  void invalidate(unsigned Sectors) {
    Valid &= ~Sectors;
    Lost &= ~Sectors;
    Written.clear(Sectors);
  }
};

class Cache {
  struct Set {
    std::vector<std::optional<Line>> Ways;
    Order Victims;
  };
  std::vector<Set> Sets;
  bool FillsFreeFirst;

public:
  Cache(uint32_t Count, uint32_t Ways, Replacement Policy, bool FillsFreeFirst)
      : Sets(Count, {std::vector<std::optional<Line>>(Ways), Order(Policy, Ways)}),
        FillsFreeFirst(FillsFreeFirst) {}

  /// Returns a line, or null; does not use it.
  Line *find(uint32_t InSet, uint64_t Number) {
    const auto IsIt = [&](const auto &Way) { return Way && Way->Number == Number; };
    const auto At = std::ranges::find_if(Sets[InSet].Ways, IsIt);
    return At != Sets[InSet].Ways.end() ? &**At : nullptr;
  }
  /// Returns a line as the most recently used one. Replaced: the line that makes room for it.
  Line &use(uint32_t InSet, uint64_t Number, std::optional<Line> &Replaced) {
    auto &[Ways, Victims] = Sets[InSet];
    const Line *Found = find(InSet, Number);
    const auto At = std::ranges::find_if(Ways, [&](const std::optional<Line> &Way) {
      return Found ? Way && &*Way == Found : !Way && FillsFreeFirst;
    });
    const uint32_t Way =
        At != Ways.end() ? static_cast<uint32_t>(At - Ways.begin()) : Victims.victim();
    Victims.use(Way, /*IsNew=*/!Found);
    if (!Found)
      Replaced = std::exchange(Ways[Way], Line{Number});
    return *Ways[Way];
  }
  template <typename Callable> void eachLine(const Callable &Do) {
    for (Set &Of : Sets)
      for (std::optional<Line> &Way : Of.Ways)
        if (Way)
          Do(*Way);
  }
};

class Simulator {
public:
  using CellKey = std::tuple<uint32_t, uint32_t, int32_t, AccessKind>; ///< members of struct Cell
  std::map<CellKey, std::array<AccessCounts, SampleGroups>> Cells;
  std::vector<uint64_t> WrittenBack; ///< sectors written to DRAM, by launch

  Simulator(Architecture TheGpu, const SimulationOptions &Options)
      : Gpu(std::move(TheGpu)), Options(Options) {
    clearL2();
  }
  void allocate(const TraceObject &New) {
    const auto Overlaps = [&](const TraceObject &Old) {
      return Old.Address < New.Address + New.Bytes && New.Address < Old.Address + Old.Bytes;
    };
    std::erase_if(Live, [&](const auto &Old) { return Overlaps(Old.second); });
    Live[Objects++] = New;
  }
  void release(uint64_t Id) {
    std::erase_if(Live, [&](const auto &Old) { return Old.second.Id == Id; });
  }
  void written(const TraceWritten &By) { Copies.push_back(By); }

  void beginLaunch(const TraceLaunch &New) {
    applyCopies();
    if (!Options.KeepsL2)
      clearL2();
    Launch = New;
    const uint32_t Shared = Gpu.sharedKbFor(New.SharedBytes, New.BlocksPerSm, New.warpsPerBlock());
    const uint32_t Lines = Options.L1Kb.value_or(Gpu.l1Lines(Shared) / 8) * 8 / Options.Sampled;
    Sms.assign(Gpu.Sms, {Cache(Gpu.L1.Sets, std::max(Lines / Gpu.L1.Sets, 1U), Gpu.L1.Policy,
                               Gpu.L1.FillsFreeFirst),
                         0,
                         {}});
    Merged.clear();
    WrittenBack.push_back(0);
    IsInLaunch = true;
  }

  /// Simulates L1. Requests of an SM are added in its order.
  void add(uint32_t Number, const Request &R) {
    By.Sm = Number % Gpu.Sms;
    OneSm &Sm = Sms[By.Sm];
    By.Request = Sm.Requests++;
    By.OfWarp = Sm.OfWarps[{R.Block, R.Warp}]++;
    if (R.Operator == CacheOperator::Fence)
      return Sm.L1.eachLine([](Line &L) {
        if (const unsigned Lost = L.Lost | L.Valid; (L.Number * LineBytes & LocalSpace) == 0) {
          L.invalidate(~0U);
          L.Lost = Lost;
        }
      });
    unsigned Requests = 1;
    for (const Piece &P : coalesced(R)) {
      auto &Groups = Cells[{WrittenBack.size() - 1, R.Site, objectOf(R, P), R.Kind}];
      Groups[0].Requests += std::exchange(Requests, 0);
      Groups[0].Sectors += countSectors(P.Of.sectors());
      Groups[0].BytesUsed += P.Of.count();
      const uint64_t Hash = sampleHash(P.Line);
      if (Hash % Options.Sampled == 0)
        accessL1(Sm, R, P,
                 Groups[Options.Sampled == 1 ? 0 : Hash / Options.Sampled % SampleGroups]);
    }
  }

  /// Simulates L2, which takes the first request of each SM, then the second of each, and so on.
  void endLaunch() {
    for (const auto &[_, A] : std::exchange(Sent, {}))
      eachLineOfL2(A, [this](const ToL2 &Part) { accessL2(Part); });
    IsInLaunch = false;
  }
  /// Also called at the end of the trace.
  void applyCopies() {
    for (const TraceWritten &Copy : std::exchange(Copies, {}))
      for (uint64_t Begin = Copy.Address, Bytes = 0, Left = Copy.Bytes; Left != 0;
           Begin += Bytes, Left -= Bytes) {
        Bytes = std::min(Left, LineBytes - Begin % LineBytes);
        ToL2 A;
        A.Line = Begin / LineBytes;
        A.Of = ByteMask::of(Begin % LineBytes, static_cast<unsigned>(Bytes));
        A.Sectors = A.Of.sectors();
        if (sampleHash(A.Line) % Options.Sampled == 0)
          eachLineOfL2(A, [this](const ToL2 &Part) {
            const Place P = placeOf(Part);
            useL2(P.Slice, P.Home, Part.Line).write(Part.Of);
            makeDirty(P, Part, /*KeepsCopy=*/!Gpu.L2.Replicates);
          });
      }
  }
  uint64_t dirtySectors() {
    uint64_t Sum = 0;
    for (Cache &Slice : L2)
      Slice.eachLine([&](const Line &L) { Sum += countSectors(L.Dirty); });
    return Sum;
  }

private:
  using Op = LineAccess::Op;
  struct Piece { ///< of a request
    uint64_t Line;
    ByteMask Of;
  };
  struct OneSm {
    Cache L1;
    uint32_t Requests = 0;
    std::map<std::pair<uint64_t, uint16_t>, uint32_t> OfWarps; ///< requests
  };
  struct ToL2 {
    uint32_t Request = 0, OfWarp = 0, Sm = 0; ///< numbers
    Op What = Op::Read;
    AccessCounts *Counts = nullptr;
    uint64_t Line = 0;
    unsigned Sectors = 0;
    ByteMask Of; ///< that lanes access
  };

  const Architecture Gpu;
  const SimulationOptions Options;
  std::map<int32_t, TraceObject> Live; ///< by number
  int32_t Objects = 0;
  std::vector<TraceWritten> Copies;
  TraceLaunch Launch;
  bool IsInLaunch = false;
  std::vector<OneSm> Sms;
  ToL2 By;                                                 ///< numbers of the current request
  std::multimap<std::pair<uint32_t, uint32_t>, ToL2> Sent; ///< by number of the request, and SM
  std::vector<Cache> L2;                                   ///< slices, all partitions of each
  std::map<std::pair<uint32_t, uint64_t>, ToL2> Merged;    ///< last access by slice and place
  static uint64_t sampleHash(uint64_t Number) { return mixed(Number ^ 0x5851f42d4c957f2d); }
  uint64_t addressOf(const Request &R, unsigned Lane, uint64_t Byte) const {
    const uint64_t Address = R.address(Lane) + Byte;
    if (!isLocal(R.Kind))
      return Address;
    const uint64_t OfThread = (Launch.LocalBytesPerThread + 3) / 4 * 4; // Equation 1
    return LocalSpace + (uint64_t{By.Sm} * Gpu.WarpsPerSm + R.Slot) * WarpLanes * OfThread +
           (Address / 4 * WarpLanes + Lane) * 4 + Address % 4;
  }

  /// Returns what a request accesses, in the order of its lanes. Bytes of a line are one piece,
  /// except between groups of lanes (pass_bytes), and between the parts of a bulk copy.
  std::vector<Piece> coalesced(const Request &R) const {
    std::vector<Piece> All;
    ptrdiff_t First = 0; // the first piece that may get more bytes
    const auto Add = [&](uint64_t Address) {
      const auto At = std::find_if(All.begin() + First, All.end(),
                                   [&](const Piece &P) { return P.Line == Address / LineBytes; });
      Piece &To = At != All.end() ? *At : All.emplace_back(Piece{Address / LineBytes, {}});
      To.Of.add(Address % LineBytes, 1);
    };
    if (R.Operator == CacheOperator::Bulk) {
      const uint64_t End = R.address(0) + R.lanes() * R.Size;
      for (uint64_t Begin = R.address(0), Size = 0; Begin < End; Begin += Size) {
        Size = std::min<uint64_t>(End - Begin, LineBytes);
        const uint64_t Head = std::min(-Begin % SectorBytes, Size);
        const uint64_t Tail = Size - (Size - Head) % SectorBytes;
        for (uint64_t I = 0; I < Size; ++I) {
          if (I == 0 || (R.Kind == AccessKind::AsyncCopy && (I == Head || I == Tail)))
            First = std::ssize(All);
          Add(Begin + I);
        }
      }
      return All;
    }
    const unsigned Together = Gpu.L1.PassBytes == 0 || isLocal(R.Kind)
                                  ? WarpLanes
                                  : std::clamp(Gpu.L1.PassBytes / R.Size, 1U, WarpLanes);
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
      if (Lane % Together == 0)
        First = std::ssize(All);
      for (unsigned Byte = 0; Byte < R.Size && (R.Mask >> Lane & 1) != 0; ++Byte)
        Add(addressOf(R, Lane, Byte));
    }
    return All;
  }

  int32_t objectOf(const Request &R, const Piece &P) const {
    const uint64_t Address = P.Line * LineBytes + P.Of.first();
    for (const auto &[Number, Of] : Live)
      if (Address >= Of.Address && Address - Of.Address < Of.Bytes)
        return Number;
    return isLocal(R.Kind) ? Cell::LocalMemory : Cell::Unknown;
  }

  void send(Op What, AccessCounts &C, const Piece &P, unsigned Sectors) {
    (What == Op::Read    ? C.L2Reads
     : What == Op::Write ? C.L2Writes
                         : C.L2Atomics) += countSectors(Sectors);
    Sent.insert(
        {{By.Request, By.Sm}, {By.Request, By.OfWarp, By.Sm, What, &C, P.Line, Sectors, P.Of}});
  }

  uint32_t l1Set(uint64_t Number) const { return place(Gpu.L1.Hash, Number, Gpu.L1.Sets); }
  Line &useL1(OneSm &Sm, uint64_t Number) {
    std::optional<Line> Old;
    Line &L = Sm.L1.use(l1Set(Number), Number, Old);
    if (Old && Old->Dirty != 0)
      send(Op::Write, *Old->Owner, {Old->Number, bytesOfSectors(Old->Dirty)}, Old->Dirty);
    return L;
  }

  void accessL1(OneSm &Sm, const Request &R, const Piece &P, AccessCounts &C) {
    const bool IsBulk = R.Operator == CacheOperator::Bulk;
    const bool IsPast = R.Operator == CacheOperator::Cg || R.Operator == CacheOperator::Cv;
    const bool IsAtomic = R.Kind == AccessKind::Atomic || R.Kind == AccessKind::Reduction;
    const bool IsStore = R.Kind == AccessKind::Store || R.Kind == AccessKind::LocalStore;
    const bool Stays = R.Kind == AccessKind::LocalStore && Gpu.L1.LocalWriteBack;
    const Op What = IsStore ? Op::Write : IsAtomic ? Op::Atomic : Op::Read;
    const unsigned Sectors = P.Of.sectors();
    C.L1Lookups += IsBulk ? 0 : countSectors(Sectors);
    if (What == Op::Read && !IsBulk && !IsPast)
      return load(Sm, P, C);
    if (!Stays)
      send(What, C, P, Sectors);
    if (What == Op::Read || IsBulk)
      return;
    Line *const L = Sm.L1.find(l1Set(P.Line), P.Line);
    const unsigned Held = L ? L->Valid | L->Written.sectors() : 0;
    if (IsStore && Gpu.L1.CountsStoreHits)
      C.L1Hits += countSectors(Stays ? Sectors & Held : Held != 0 ? Sectors : 0);
    if (IsAtomic ? Gpu.L1.AtomicsInvalidate : !Stays && Gpu.L1.Stores == L1Stores::Invalidate) {
      if (L)
        L->invalidate(Sectors);
    } else if (IsStore && (L || Stays || Gpu.L1.Stores == L1Stores::Allocate)) {
      Line &Now = useL1(Sm, P.Line);
      Now.write(P.Of);
      Now.Lost &= ~Sectors;
      Now.Dirty |= Stays ? Sectors : 0;
      Now.Owner = Stays ? &C : Now.Owner;
    }
  }

  void load(OneSm &Sm, const Piece &P, AccessCounts &C) {
    Line &L = useL1(Sm, P.Line);
    const unsigned Missing = without(P.Of, L.Written).sectors() & ~L.Valid;
    C.L1Hits += countSectors(P.Of.sectors() & ~Missing);
    C.LostToFences += countSectors(L.Lost & Missing);
    L.Lost &= ~Missing;
    L.fetch(Missing);
    send(Op::Read, C, P, Missing);
  }

  static uint32_t place(SetHash Hash, uint64_t N, uint32_t Count) {
    if (Hash == SetHash::Mixed)
      return static_cast<uint32_t>((mixed(N) >> 32) * Count >> 32);
    return static_cast<uint32_t>(
        (Hash == SetHash::Xor ? N ^ N >> 7 ^ N >> 13 ^ N >> 19 ^ N >> 29 : N) % Count);
  }
  uint32_t setsOfSlice() const { return std::max(Gpu.L2.sets() / Options.Sampled, 1U); }

  void clearL2() {
    L2.assign(Gpu.L2.Slices, Cache(setsOfSlice() * Gpu.L2.Partitions, Gpu.L2.Ways, Gpu.L2.Policy,
                                   Gpu.L2.FillsFreeFirst));
  }
  /// Splits an access to a line of 128 bytes where L2 has lines of 64; leaves out empty ones.
  template <typename Callable> void eachLineOfL2(const ToL2 &Whole, const Callable &Do) const {
    const unsigned Parts = LineBytes / Gpu.L2.LineBytes;
    for (unsigned I = 0; I < Parts; ++I) {
      ToL2 A = Whole;
      if (Parts == 2) {
        A.Line = 2 * Whole.Line + I;
        A.Sectors = Whole.Sectors >> 2 * I & 0b11;
        A.Of.Words = {Whole.Of.Words[I], 0};
      }
      if (A.Sectors != 0)
        Do(A);
    }
  }

  struct Place {
    uint32_t Slice, Home, Copy; ///< sets: at home, and of a copy in the other partition
    bool IsAway;                ///< its home is not the SM's partition
  };
  Place placeOf(const ToL2 &A) const {
    const L2Model &M = Gpu.L2;
    const uint32_t All = M.Slices * M.Partitions, Slice = place(M.Hash, A.Line, All);
    const uint32_t Partition = Slice / M.Slices;
    const uint64_t Set = M.Hash == SetHash::Mixed
                             ? (mixed(A.Line) & 0xffffffff) * setsOfSlice() >> 32
                             : A.Line / All % setsOfSlice();
    const auto Home = static_cast<uint32_t>(Set * M.Partitions + Partition);
    const std::vector<uint32_t> &Tpcs = M.TpcPartitions;
    const uint32_t Own = Tpcs.empty() ? 0 : Tpcs[A.Sm / 2 % Tpcs.size()];
    return {Slice % M.Slices, Home, Home ^ 1, Partition != Own};
  }

  Line &useL2(uint32_t Slice, uint32_t Set, uint64_t Number) {
    std::optional<Line> Old;
    Line &L = L2[Slice].use(Set, Number, Old);
    if (Old && IsInLaunch)
      WrittenBack.back() += countSectors(Old->Dirty);
    if (Old && Old->Owner)
      Old->Owner->DramWrites += countSectors(Old->Dirty);
    return L;
  }

  void accessL2(const ToL2 &A) {
    AccessCounts &C = *A.Counts;
    const Place P = placeOf(A);
    if (A.What != Op::Atomic && isMerged(A, P.Slice)) {
      (A.What == Op::Read ? C.L2Reads : C.L2Writes) -= countSectors(A.Sectors);
      C.Coalesced += countSectors(A.Sectors);
      return;
    }
    const bool UsesCopy = P.IsAway && Gpu.L2.Replicates;
    if (A.What == Op::Read) {
      unsigned Missing = lookUp(P.Slice, UsesCopy ? P.Copy : P.Home, A, A.Sectors, C.L2Hits);
      C.OtherPartition += countSectors(UsesCopy ? Missing : P.IsAway ? A.Sectors : 0);
      uint64_t Uncounted = 0;
      if (UsesCopy && Missing != 0)
        Missing = lookUp(P.Slice, P.Home, A, Missing, Uncounted);
      C.DramReads += countSectors(Missing);
      return;
    }
    if (A.What == Op::Write)
      writeHome(P, A, C);
    else
      C.DramReads += countSectors(lookUp(P.Slice, P.Home, A, A.Sectors, C.L2Hits));
    C.OtherPartition += P.IsAway ? countSectors(A.Sectors) : 0;
    makeDirty(P, A, /*KeepsCopy=*/!Gpu.L2.Replicates || (UsesCopy && A.What == Op::Write));
    if (UsesCopy && A.What == Op::Write)
      useL2(P.Slice, P.Copy, A.Line).write(A.Of);
  }

  /// Returns whether an access is merged with the last one at its place: a read with another SM's,
  /// a write with that of the SM's.
  bool isMerged(const ToL2 &A, uint32_t Slice) {
    ToL2 &Last = Merged[{Slice, mixed(A.Line) % 4096}];
    const bool IsSimultaneous = Last.Counts && Last.Line == A.Line && Last.OfWarp == A.OfWarp &&
                                Last.What == A.What &&
                                A.Request - Last.Request <= Gpu.L2.CoalescedRequests;
    if (Gpu.L2.CoalescedRequests != 0 && IsSimultaneous &&
        (A.What == Op::Read ? Last.Sm != A.Sm && (A.Sectors & ~Last.Sectors) == 0
                            : Last.Sm == A.Sm && Last.Of.has(A.Of)))
      return true;
    const unsigned Before = IsSimultaneous ? Last.Sectors : 0;
    (Last = A).Sectors |= Before;
    return false;
  }

  /// Fetches the sectors that a line lacks in all units of DRAM that have any of these.
  unsigned fetchUnits(unsigned Sectors, Line &L) const {
    const unsigned Together = Gpu.L2.FetchBytes / SectorBytes, Unit = (1U << Together) - 1;
    unsigned All = 0;
    for (unsigned S = 0; S < LineSectors; S += Together)
      All |= (Sectors >> S & Unit) != 0 ? Unit << S : 0;
    All &= ~L.Valid;
    L.fetch(All);
    return All;
  }
  /// Looks up sectors; returns those that the line then gets from elsewhere.
  unsigned lookUp(uint32_t Slice, uint32_t Set, const ToL2 &A, unsigned Sectors, uint64_t &Hits) {
    const bool IsNew = !L2[Slice].find(Set, A.Line);
    Line &L = useL2(Slice, Set, A.Line);
    Hits += countSectors(!IsNew && Gpu.L2.CountsMissingSectors ? Sectors : Sectors & L.Valid);
    return fetchUnits(Sectors & ~L.Valid, L);
  }
  void writeHome(const Place &P, const ToL2 &A, AccessCounts &C) {
    const bool IsNew = !L2[P.Slice].find(P.Home, A.Line);
    Line &L = useL2(P.Slice, P.Home, A.Line);
    const bool AllHit = Gpu.L2.CountsWriteAllocates || (!IsNew && Gpu.L2.CountsMissingSectors);
    C.L2Hits += countSectors(A.Sectors & (AllHit ? ~0U : L.Valid | L.Written.sectors()));
    if (Gpu.L2.FillsPartialWrites)
      C.DramReads += countSectors(fetchUnits(A.Sectors & ~A.Of.fullSectors() & ~L.Valid, L));
    L.write(A.Of);
  }
  /// Marks what a line at its home has been written.
  void makeDirty(const Place &P, const ToL2 &A, bool KeepsCopy) {
    Line &L = *L2[P.Slice].find(P.Home, A.Line);
    L.Dirty |= A.Sectors;
    L.Owner = A.Counts;
    if (Line *Copy = KeepsCopy ? nullptr : L2[P.Slice].find(P.Copy, A.Line))
      Copy->invalidate(A.Sectors);
  }
};

} // namespace gmprof::cache::reference

#endif // GMPROF_TEST_CACHE_REFERENCESIMULATOR_H
