//===- GlobalSweep.h - Counts the accesses of a loop together ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_GLOBALSWEEP_H
#define GMPROF_DEVICE_GLOBALSWEEP_H

#include "GlobalAccess.h"

namespace gmprof {

/// Threads that share a count; this one is number Rank.
struct Workers {
  gmprof_u32 Rank, Count;
};

/// Unit of a shared count: counters of one word are updated together.
template <class Counters>
constexpr gmprof_u64 WordBytes =
    sizeof(typename Counters::Counter) < 4 ? 4 : sizeof(typename Counters::Counter);

template <class Counters>
GM_INLINE void addWord(const Counters &C, CounterRange R, gmprof_u64 Word, gmprof_u64 N) {
  C.add({Word < R.Begin ? R.Begin : Word, minimum(Word + WordBytes<Counters>, R.End)}, N);
}

/// Adds N to consecutive counters.
template <class Counters>
GM_INLINE void addSpan(const Counters &C, CounterRange R, gmprof_u64 N, Workers W) {
  constexpr gmprof_u64 Size = WordBytes<Counters>;
  for (gmprof_u64 Word = (R.Begin & ~(Size - 1)) + Size * W.Rank; Word < R.End;
       Word += Size * W.Count)
    addWord(C, R, Word, N);
}

/// Adds N to consecutive counters that probably all warps of the grid add to: each warp begins
/// elsewhere, which avoids contention.
template <class Counters>
GM_INLINE void addCommonSpan(const Counters &C, CounterRange R, gmprof_u64 N, Workers W) {
  constexpr gmprof_u64 Size = WordBytes<Counters>;
  gmprof_u64 First = R.Begin & ~(Size - 1), Words = (R.End - First + Size - 1) / Size;
  gmprof_u32 Warp = blockInGrid() * 32 + threadInBlock() / 32, Hash = Warp * 0x9e3779b1u;
  gmprof_u64 Skipped = (Words >> 32) == 0 ? Hash * Words >> 32 : Hash;
  auto Add = [&](gmprof_u64 I) {
    gmprof_u64 At = I + Skipped;
    addWord(C, R, First + Size * (At < Words ? At : At - Words), N);
  };
  gmprof_u64 I = W.Rank;
  if constexpr (MayHaveReplicas<Counters>) {
    // Adds to several words per step to overlap their latency. Words at the ends may have counters
    // outside the range.
    constexpr unsigned Batch = 8;
    for (; I + (Batch - 1) * W.Count < Words; I += Batch * W.Count) {
      gmprof_u64 Word[Batch];
      bool Whole = true;
#pragma unroll
      for (unsigned K = 0; K != Batch; ++K) {
        gmprof_u64 At = I + K * W.Count + Skipped;
        Word[K] = First + Size * (At < Words ? At : At - Words);
        Whole &= Word[K] >= R.Begin && Word[K] + Size <= R.End;
      }
      if (Whole)
        C.addWords(Word, N);
      else
        for (unsigned K = 0; K != Batch; ++K)
          Add(I + K * W.Count);
    }
  }
  for (; I < Words; I += W.Count)
    Add(I);
}

/// Adds N to runs of counters, Step apart, each Length bytes long except for the last one.
template <class Counters>
GM_INLINE void addRuns(const Counters &C, gmprof_u64 Begin, gmprof_i64 Step, gmprof_u64 Runs,
                       gmprof_u64 Length, gmprof_u64 LastLength, gmprof_u64 N, Workers W) {
  constexpr gmprof_u64 Size = WordBytes<Counters>;
  gmprof_u64 Words = (Length + Size - 1) / Size + 1;
  gmprof_u32 Width = (gmprof_u32)minimum(Words, (gmprof_u64)W.Count);
  gmprof_u32 Groups = W.Count / Width, Group = W.Rank / Width;
  if (Group >= Groups)
    return;
  for (gmprof_u64 Run = Group; Run < Runs; Run += Groups) {
    gmprof_u64 First = Begin + Run * Step;
    addSpan(C, {First, First + (Run + 1 == Runs ? LastLength : Length)}, N,
            {W.Rank - Group * Width, Width});
  }
}

/// Object of a sweep.
struct SweptObject {
  gmprof_u64 Base, Bytes, Counters;
  gmprof_u32 Shift, Replicas, ReplicaShift;

  GM_INLINE bool has(gmprof_u64 Low, gmprof_u64 Length) const {
    return Low - Base < Bytes && Length <= Bytes - (Low - Base);
  }
};

/// A sweep: N times Trips accesses of Bytes bytes, Stride apart.
struct SweepOf {
  gmprof_u64 Address;
  gmprof_u32 Bytes;
  gmprof_i64 Stride;
  gmprof_u64 Trips, N;

  GM_INLINE gmprof_i64 way() const { return (gmprof_i64)(Trips - 1) * Stride; }
  GM_INLINE gmprof_u64 low() const { return way() < 0 ? Address + way() : Address; }
  GM_INLINE gmprof_u64 length() const { return (way() < 0 ? -way() : way()) + Bytes; }
  /// Returns whether the accesses have neither gaps nor overlaps.
  GM_INLINE bool isDense() const {
    return Trips == 1 || Stride == Bytes || Stride == -(gmprof_i64)Bytes;
  }
};

/// Counts a sweep access by access; merges consecutive accesses to one element.
template <class Counters>
GM_INLINE void countSteps(const Counters &C, const Access &A, SweptObject O, SweepOf S) {
  withCounters(C, O.Replicas, [&](auto Found) {
    gmprof_u64 First = firstCounter<decltype(Found)>(O.Counters, O.Replicas, O.ReplicaShift);
    CounterRange Pending = {0, 0};
    gmprof_u64 Times = 0;
    for (gmprof_u64 Trip = 0; Trip != S.Trips; ++Trip, S.Address += S.Stride) {
      gmprof_u64 Offset = S.Address - O.Base;
      if (Offset >= O.Bytes) {
        countElsewhere(C, A, S.Address, S.Bytes, S.N);
        continue;
      }
      CounterRange Range = countersFrom<decltype(Found)>(First, O.Bytes, O.Shift, Offset, S.Bytes);
      if (Range.Begin != Pending.Begin || Range.End != Pending.End) {
        Found.add(Pending, Times);
        Pending = Range;
        Times = 0;
      }
      Times += S.N;
    }
    Found.add(Pending, Times);
  });
}

/// Counts a sweep by each lane over whole elements, or over equal parts of elements, of an object.
/// Lanes share the work if all have the same sweep, or if each starts one access behind its
/// predecessor. Returns false, with nothing counted, for other sweeps.
template <class Counters> GM_INLINE bool countInside(const Counters &C, SweptObject O, SweepOf S) {
  constexpr gmprof_u64 Size = sizeof(typename Counters::Counter);
  gmprof_u64 First = firstCounter<Counters>(O.Counters, O.Replicas, O.ReplicaShift);
  gmprof_u64 Mask = (1ull << O.Shift) - 1, Offset = S.Address - O.Base;
  auto Counter = [&](gmprof_u64 At) { return First + (At >> O.Shift) * Size; };

  gmprof_u32 Lanes = activeLanes(), Leader = firstLane(Lanes);
  Workers All = {laneRank(Lanes), laneCount(Lanes)};
  gmprof_u64 FirstOffset = shuffle(Lanes, Offset, Leader);
  gmprof_u64 FirstTrips = shuffle(Lanes, S.Trips, Leader);
  bool IsOneObject = __all_sync(Lanes, shuffle(Lanes, First, Leader) == First);
  gmprof_u32 Long = __ballot_sync(Lanes, S.Trips == FirstTrips), Short = Lanes & ~Long;
  bool IsSame = __all_sync(Lanes, IsOneObject && Offset == FirstOffset && S.Trips == FirstTrips);
  bool IsNext = __all_sync(Lanes, IsOneObject && Offset == FirstOffset + All.Rank * S.Bytes &&
                                      (S.Trips == FirstTrips || S.Trips + 1 == FirstTrips)) &&
                (Short == 0 || (Short & -Short) > Long);

  // Contiguous bytes: of this lane's sweep, or of all lanes.
  gmprof_u64 Low = S.low() - O.Base, Length = S.length();
  bool IsDense = S.isDense();
  if (IsNext && !IsSame && (FirstTrips == 1 || S.Stride == (gmprof_i64)All.Count * S.Bytes)) {
    IsDense = true;
    Low = FirstOffset;
    Length = ((FirstTrips - 1) * All.Count + laneCount(Long)) * S.Bytes;
  } else if (IsDense && !IsSame) {
    All = {0, 1};
  }
  gmprof_u64 N = IsSame ? S.N * laneCount(Lanes) : S.N;
  if (!__all_sync(Lanes, ((Offset | S.Bytes | (gmprof_u64)S.Stride) & Mask) == 0)) {
    // Parts of elements: those at both ends may have fewer accesses.
    bool IsPart = S.Bytes <= Mask && ((S.Bytes | Offset) & (S.Bytes - 1)) == 0;
    if (!__all_sync(Lanes, IsDense && IsPart))
      return false;
    auto Parts = [&](gmprof_u64 Of) { return (gmprof_u32)Of / S.Bytes; }; // at most one element
    gmprof_u64 End = Low + Length, FirstWhole = (Low + Mask) & ~Mask, EndWhole = End & ~Mask;
    if (All.Rank == 0 && FirstWhole != Low)
      C.add({Counter(Low), Counter(Low) + Size}, N * Parts(minimum(FirstWhole, End) - Low));
    if (All.Rank == 0 && EndWhole != End && EndWhole >= FirstWhole)
      C.add({Counter(End), Counter(End) + Size}, N * Parts(End - EndWhole));
    Low = FirstWhole;
    Length = EndWhole > FirstWhole ? EndWhole - FirstWhole : 0;
    N *= Parts(Mask + 1);
  }

  if (IsDense) {
    CounterRange Span = {Counter(Low), Counter(Low + Length)};
    if (IsSame)
      addCommonSpan(C, Span, N, All);
    else
      addSpan(C, Span, N, All);
    return true;
  }
  gmprof_i64 Step = (S.Stride >> O.Shift) * (gmprof_i64)Size;
  gmprof_u64 Begin = Counter(Offset), Part = (gmprof_u64)(S.Bytes >> O.Shift) * Size;
  if (IsSame)
    addRuns(C, Begin, Step, S.Trips, Part, Part, N, All);
  else if (IsNext)
    addRuns(C, Counter(FirstOffset), Step, FirstTrips, Part * All.Count, Part * laneCount(Long), N,
            All);
  else
    for (gmprof_u64 Trip = 0; Trip != S.Trips; ++Trip, Begin += Step)
      C.template addByLanes<false>({Begin, Begin + Part}, N);
  return true;
}

/// Counts a sweep by each lane.
template <class Counters>
GM_INLINE void countSweep(const Counters &C, const Access &A, SweptObject O, SweepOf S) {
  if (S.Trips == 0 || S.N == 0)
    return;
  gmprof_u64 Low = S.low(), Length = S.length();
  if (Low - O.Base >= O.Bytes) {
    auto *Found =
        globalPointer<const GmprofGlobalObject>(__gm_global_find(A.Objects, A.ObjectCount, Low));
    if (Found)
      O = {Found->base,         Found->bytes,    Found->counters[A.Kind],
           Found->elementShift, Found->replicas, Found->replicaShift};
  }
  if (O.has(Low, Length)) {
    if (O.Counters == 0)
      return;
    bool Counted = false;
    withCounters(C, O.Replicas, [&](auto Found) { Counted = countInside(Found, O, S); });
    if (Counted)
      return;
  }
  countSteps(C, A, O, S);
}

} // namespace gmprof

#endif // GMPROF_DEVICE_GLOBALSWEEP_H
