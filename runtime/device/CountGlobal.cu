//===- CountGlobal.cu - Hooks that count global-memory accesses -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each hook exists once for every kind of counters (GlobalCounters.h). The first three parameters
// are fields of the launch parameter, which a clone keeps in registers; then come the threshold,
// the access's root (or null), the kind of access, the address and the number of bytes.
//
//   __gm_global_one_*        an access by each thread, aligned to its size
//   __gm_global_times_*      N accesses by each thread
//   __gm_global_active_*     N accesses by each thread, often to one address
//   __gm_global_by_thread_*  N accesses by several threads, counted by this one
//   __gm_global_tile_*       N accesses by a warp to each row of a tile
//
// This helper takes the root's fields instead of its address, as it is not inlined:
//
//   __gm_global_sweep_*      N times Trips accesses by each thread, Stride bytes apart
//
//===----------------------------------------------------------------------===//

#include "GlobalCounters.h"

using namespace gmprof;

GM_HOOK void __gm_enter_global(GmprofGlobalTotals *Totals) {
  if (threadInBlock() != 0)
    return;
  addGlobal(&Totals->blocks, 1ull);
  addGlobal(&Totals->threads, (gmprof_u64)threadsOfBlock());
}

/// Returns the address of the object that contains an address, or 0. Not inlined: rare.
GM_HELPER gmprof_u64 __gm_global_find(const GmprofGlobalObject *Objects, gmprof_u32 Count,
                                      gmprof_u64 Address) {
  return (gmprof_u64)objectAt((GlobalPointer<const GmprofGlobalObject>)Objects, Count, Address);
}

namespace {

/// Search parameters of an access.
struct Access {
  const GmprofGlobalObject *Objects;
  gmprof_u32 ObjectCount;
  GmprofGlobalTotals *Totals;
  const GmprofGlobalObject *Root;
  gmprof_u32 Kind;
};

/// True if an object may have replicas instead of these counters (GmprofGlobalObject).
template <class Counters> constexpr bool MayHaveReplicas = false;
template <class T> constexpr bool MayHaveReplicas<PackedCounters<T>> = true;

/// Calls Count with the object's kind of counters: C, or replicas.
template <class Counters, class Function>
GM_INLINE void withCounters(const Counters &C, gmprof_u32 Replicas, Function Count) {
  if constexpr (MayHaveReplicas<Counters>)
    if (Replicas != 0) {
      Count(ReplicaCounters());
      return;
    }
  Count(C);
}

/// Returns the address of the first counter that this block adds to; 0 if there are none.
template <class Counters>
GM_INLINE gmprof_u64 firstCounter(gmprof_u64 First, gmprof_u32 Replicas, gmprof_u32 ReplicaShift) {
  if constexpr (__is_same(Counters, ReplicaCounters))
    return First == 0 ? 0 : First + ((gmprof_u64)(blockInGrid() & (Replicas - 1)) << ReplicaShift);
  else
    return First;
}

template <class Counters, class Object>
GM_INLINE gmprof_u64 firstCounter(Object *O, gmprof_u32 Kind) {
  return firstCounter<Counters>(O->counters[Kind], O->replicas, O->replicaShift);
}

/// Returns the counters of Bytes bytes at Offset of an object of ObjectBytes, whose first counter
/// is at First; empty if the object is not counted.
template <class Counters>
GM_INLINE CounterRange countersFrom(gmprof_u64 First, gmprof_u64 ObjectBytes, gmprof_u32 Shift,
                                    gmprof_u64 Offset, gmprof_u64 Bytes) {
  if (First == 0)
    return {0, 0};
  gmprof_u64 Last = minimum(Offset + Bytes, ObjectBytes) - 1;
  constexpr gmprof_u64 Size = sizeof(typename Counters::Counter);
  return {First + (Offset >> Shift) * Size, First + ((Last >> Shift) + 1) * Size};
}

template <class Counters, class Object>
GM_INLINE CounterRange countersIn(Object *O, gmprof_u32 Kind, gmprof_u64 Offset, gmprof_u64 Bytes) {
  return countersFrom<Counters>(firstCounter<Counters>(O, Kind), O->bytes, O->elementShift, Offset,
                                Bytes);
}

/// Returns the same as countersIn for an offset that is a multiple of the number of bytes, a power
/// of two. Bytes behind the object's end have counters too: they are padding.
template <class Counters, class Object>
GM_INLINE CounterRange alignedCountersIn(Object *O, gmprof_u32 Kind, gmprof_u64 Offset,
                                         gmprof_u32 Bytes) {
  gmprof_u64 First = firstCounter<Counters>(O, Kind);
  if (First == 0)
    return {0, 0};
  constexpr gmprof_u64 Size = sizeof(typename Counters::Counter);
  gmprof_u32 Elements = Bytes >> O->elementShift;
  gmprof_u64 Begin = First + (Offset >> O->elementShift) * Size;
  return {Begin, Begin + (Elements ? Elements : 1) * Size};
}

/// Counts N accesses outside all objects. Active lanes with the same N add together, because all
/// threads share one counter.
GM_INLINE void countOutside(GmprofGlobalTotals *Totals, gmprof_u64 N) {
  gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
  if (!__all_sync(Lanes, shuffle(Lanes, N, First) == N))
    addGlobal(&Totals->outside, N);
  else if (lane() == First)
    addGlobal(&Totals->outside, N * laneCount(Lanes));
}

/// Calls Count with the object that contains the address; counts the access as outside if there is
/// none.
template <class Function>
GM_INLINE void inFound(const Access &A, gmprof_u64 Address, gmprof_u64 N, Function Count) {
  auto *Object =
      globalPointer<const GmprofGlobalObject>(__gm_global_find(A.Objects, A.ObjectCount, Address));
  if (Object)
    Count(Object, Address - Object->base);
  else
    countOutside(A.Totals, N);
}

/// Adds N by this thread, which may count for others.
template <class Counters, class Object>
GM_INLINE void addIn(const Counters &C, Object *O, gmprof_u32 Kind, gmprof_u64 Offset,
                     gmprof_u64 Bytes, gmprof_u64 N) {
  withCounters(C, O->replicas, [&](auto Found) {
    Found.add(countersIn<decltype(Found)>(O, Kind, Offset, Bytes), N);
  });
}

/// Adds N by each active lane.
template <class Counters, class Object>
GM_INLINE void addByLanesIn(const Counters &C, Object *O, gmprof_u32 Kind, gmprof_u64 Offset,
                            gmprof_u64 Bytes, gmprof_u64 N) {
  withCounters(C, O->replicas, [&](auto Found) {
    Found.template addByLanes<false>(countersIn<decltype(Found)>(O, Kind, Offset, Bytes), N);
  });
}

/// Counts N accesses outside the access's root. Not inlined: rare.
template <class Counters>
__device__ __attribute__((noinline)) void
findAndCount(const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount, GmprofGlobalTotals *Totals,
             gmprof_u32 Kind, gmprof_u32 Threshold, gmprof_u64 Address, gmprof_u64 Bytes,
             gmprof_u64 N) {
  inFound({Objects, ObjectCount, Totals, nullptr, Kind}, Address, N,
          [&](auto *O, gmprof_u64 At) { addIn(Counters{Threshold}, O, Kind, At, Bytes, N); });
}

template <class Counters>
GM_INLINE void countElsewhere(const Counters &C, const Access &A, gmprof_u64 Address,
                              gmprof_u64 Bytes, gmprof_u64 N) {
  findAndCount<Counters>(A.Objects, A.ObjectCount, A.Totals, A.Kind, C.Threshold, Address, Bytes,
                         N);
}

/// Counts N accesses by each lane without a root. Not inlined: the search costs more than the call.
template <class Counters>
__device__ __attribute__((noinline)) void
findAndCountByLanes(const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount,
                    GmprofGlobalTotals *Totals, gmprof_u32 Kind, gmprof_u32 Threshold,
                    gmprof_u64 Address, gmprof_u64 Bytes, gmprof_u64 N) {
  inFound({Objects, ObjectCount, Totals, nullptr, Kind}, Address, N, [&](auto *O, gmprof_u64 At) {
    addByLanesIn(Counters{Threshold}, O, Kind, At, Bytes, N);
  });
}

/// Counts one access by each lane to an aligned address.
template <class Counters>
GM_INLINE void countOne(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u32 Bytes) {
  if (!A.Root) {
    findAndCountByLanes<Counters>(A.Objects, A.ObjectCount, A.Totals, A.Kind, C.Threshold, Address,
                                  Bytes, 1);
    return;
  }
  gmprof_u64 Offset = Address - A.Root->base;
  if (Offset >= A.Root->bytes) {
    countElsewhere(C, A, Address, Bytes, 1);
    return;
  }
  withCounters(C, A.Root->replicas, [&](auto Found) {
    Found.template addByLanes<true>(
        alignedCountersIn<decltype(Found)>(A.Root, A.Kind, Offset, Bytes), 1);
  });
}

/// Counts N accesses by each lane.
template <class Counters>
GM_INLINE void countTimes(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u64 Bytes,
                          gmprof_u64 N) {
  if (Bytes == 0 || N == 0)
    return;
  if (!A.Root) {
    findAndCountByLanes<Counters>(A.Objects, A.ObjectCount, A.Totals, A.Kind, C.Threshold, Address,
                                  Bytes, N);
    return;
  }
  gmprof_u64 Offset = Address - A.Root->base;
  if (Offset < A.Root->bytes)
    addByLanesIn(C, A.Root, A.Kind, Offset, Bytes, N);
  else
    countElsewhere(C, A, Address, Bytes, N);
}

/// Counts N accesses by this thread on behalf of several.
template <class Counters>
GM_INLINE void countByThread(const Counters &C, const Access &A, gmprof_u64 Address,
                             gmprof_u64 Bytes, gmprof_u64 N) {
  if (Bytes == 0 || N == 0)
    return;
  gmprof_u64 Offset = A.Root ? Address - A.Root->base : 0;
  if (A.Root && Offset < A.Root->bytes)
    addIn(C, A.Root, A.Kind, Offset, Bytes, N);
  else
    countElsewhere(C, A, Address, Bytes, N);
}

/// Counts N accesses by each active lane, which often have the same address. The first lane counts
/// for those with its address and number.
template <class Counters>
GM_INLINE void countActive(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u64 Bytes,
                           gmprof_u64 N) {
  gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
  gmprof_u64 FirstAddress = shuffle(Lanes, Address, First), FirstN = shuffle(Lanes, N, First);
  bool Same = FirstAddress == Address && FirstN == N;
  gmprof_u32 Together = __ballot_sync(Lanes, Same);
  if (lane() == First)
    N *= laneCount(Together);
  else if (Same)
    return;
  countByThread(C, A, Address, Bytes, N);
}

/// Counts N accesses by a warp to each row of a tile. The lanes may have diverged since the access:
/// each counts rows of its own.
template <class Counters>
GM_INLINE void countTile(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u32 Rows,
                         gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u64 N) {
  for (gmprof_u32 Row = lane(); Row < Rows; Row += warpSize)
    countByThread(C, A, Address + (gmprof_u64)Row * Stride, RowBytes, N);
}

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

} // namespace

#define FIELDS                                                                                     \
  const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount, GmprofGlobalTotals *Totals,           \
      gmprof_u32 Threshold, const GmprofGlobalObject *Root, gmprof_u32 Kind, gmprof_u64 Address
#define ACCESS                                                                                     \
  Access { Objects, ObjectCount, Totals, Root, Kind }

#define HOOKS(Name, Counters)                                                                      \
  GM_HOOK void __gm_global_one_##Name(FIELDS, gmprof_u32 Bytes) {                                  \
    countOne(Counters{Threshold}, ACCESS, Address, Bytes);                                         \
  }                                                                                                \
  GM_HOOK void __gm_global_times_##Name(FIELDS, gmprof_u64 Bytes, gmprof_u64 N) {                  \
    countTimes(Counters{Threshold}, ACCESS, Address, Bytes, N);                                    \
  }                                                                                                \
  GM_HOOK void __gm_global_active_##Name(FIELDS, gmprof_u64 Bytes, gmprof_u64 N) {                 \
    countActive(Counters{Threshold}, ACCESS, Address, Bytes, N);                                   \
  }                                                                                                \
  GM_HOOK void __gm_global_by_thread_##Name(FIELDS, gmprof_u64 Bytes, gmprof_u64 N) {              \
    countByThread(Counters{Threshold}, ACCESS, Address, Bytes, N);                                 \
  }                                                                                                \
  GM_HOOK void __gm_global_tile_##Name(FIELDS, gmprof_u32 Rows, gmprof_u32 RowBytes,               \
                                       gmprof_u32 Stride, gmprof_u64 N) {                          \
    countTile(Counters{Threshold}, ACCESS, Address, Rows, RowBytes, Stride, N);                    \
  }                                                                                                \
  GM_HELPER void __gm_global_sweep_##Name(                                                         \
      const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount, GmprofGlobalTotals *Totals,       \
      gmprof_u32 Threshold, gmprof_u32 Kind, gmprof_u64 Base, gmprof_u64 ObjectBytes,              \
      gmprof_u64 First, gmprof_u32 Shift, gmprof_u32 Replicas, gmprof_u64 Address,                 \
      gmprof_u32 Bytes, gmprof_i64 Stride, gmprof_u64 Trips, gmprof_u64 N) {                       \
    countSweep(Counters{Threshold}, Access{Objects, ObjectCount, Totals, nullptr, Kind},           \
               SweptObject{Base, ObjectBytes, First, Shift, Replicas & 0xffff, Replicas >> 16},    \
               SweepOf{Address, Bytes, Stride, Trips, N});                                         \
  }

HOOKS(atomic, AtomicCounters)
HOOKS(plain, PlainCounters)
HOOKS(u8, PackedCounters<gmprof_u8>)
HOOKS(u16, PackedCounters<gmprof_u16>)
HOOKS(u32, WideCounters)
