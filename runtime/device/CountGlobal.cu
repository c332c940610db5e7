//===- CountGlobal.cu - The hooks that count accesses of global memory ----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each hook exists once for every kind of counters (GlobalCounters.h). The first
// three parameters are what a clone keeps in registers of the launch parameter;
// then come the threshold, the access's root (or null), the kind of access, the
// address and the number of bytes.
//
//   __gm_global_one_*        an access by each thread, aligned to its size
//   __gm_global_times_*      N accesses by each thread
//   __gm_global_active_*     N accesses by each thread, often of one address
//   __gm_global_by_thread_*  N accesses by several threads, counted by this one
//   __gm_global_tile_*       N accesses by a warp of each row of a tile
//
// and, with the root's fields instead of its address, as it is not inlined:
//
//   __gm_global_sweep_*      N times Trips accesses by each thread, Stride bytes
//                            apart from each other
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

/// The object that an address is in, or 0. Not inlined: it is for the rare cases.
GM_HELPER gmprof_u64 __gm_global_find(const GmprofGlobalObject *Objects, gmprof_u32 Count,
                                      gmprof_u64 Address) {
  auto *Sorted = (GlobalPointer<const GmprofGlobalObject>)Objects;
  gmprof_u32 Begin = 0, End = Count;
  while (Begin != End) {
    gmprof_u32 Middle = Begin + (End - Begin) / 2;
    if (Sorted[Middle].base <= Address)
      Begin = Middle + 1;
    else
      End = Middle;
  }
  if (Begin == 0)
    return 0;
  GlobalPointer<const GmprofGlobalObject> Found = Sorted + Begin - 1;
  return Address - Found->base < Found->bytes ? (gmprof_u64)Found : 0;
}

namespace {

/// Where an access is looked for.
struct Access {
  const GmprofGlobalObject *Objects;
  gmprof_u32 ObjectCount;
  GmprofGlobalTotals *Totals;
  const GmprofGlobalObject *Root;
  gmprof_u32 Kind;
};

/// The counters of Bytes bytes at Offset of an object of ObjectBytes, the first of
/// which is at First; none if it is not counted.
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
  return countersFrom<Counters>(O->counters[Kind], O->bytes, O->elementShift, Offset, Bytes);
}

/// The same if the address is a multiple of the number of bytes, a power of two.
/// What may then lie behind the object's end has counters all the same: they are
/// padded.
template <class Counters, class Object>
GM_INLINE CounterRange alignedCountersIn(Object *O, gmprof_u32 Kind, gmprof_u64 Offset,
                                         gmprof_u32 Bytes) {
  gmprof_u64 First = O->counters[Kind];
  if (First == 0)
    return {0, 0};
  constexpr gmprof_u64 Size = sizeof(typename Counters::Counter);
  gmprof_u32 Elements = Bytes >> O->elementShift;
  gmprof_u64 Begin = First + (Offset >> O->elementShift) * Size;
  return {Begin, Begin + (Elements ? Elements : 1) * Size};
}

/// Lanes that are here together with the same number add it at once: all threads
/// have the same counter.
GM_INLINE void countOutside(GmprofGlobalTotals *Totals, gmprof_u64 N) {
  gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
  if (!__all_sync(Lanes, shuffle(Lanes, N, First) == N))
    addGlobal(&Totals->outside, N);
  else if (lane() == First)
    addGlobal(&Totals->outside, N * laneCount(Lanes));
}

/// The counters of N accesses of what is in some object.
template <class Counters>
GM_INLINE CounterRange countersByFinding(const Access &A, gmprof_u64 Address, gmprof_u64 Bytes,
                                         gmprof_u64 N) {
  auto *Object =
      globalPointer<const GmprofGlobalObject>(__gm_global_find(A.Objects, A.ObjectCount, Address));
  if (!Object) {
    countOutside(A.Totals, N);
    return {0, 0};
  }
  return countersIn<Counters>(Object, A.Kind, Address - Object->base, Bytes);
}

/// N accesses outside of the access's root. Not inlined: for the rare cases.
template <class Counters>
__device__ __attribute__((noinline)) void
findAndCount(const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount, GmprofGlobalTotals *Totals,
             gmprof_u32 Kind, gmprof_u32 Threshold, gmprof_u64 Address, gmprof_u64 Bytes,
             gmprof_u64 N) {
  Access A{Objects, ObjectCount, Totals, nullptr, Kind};
  Counters{Threshold}.add(countersByFinding<Counters>(A, Address, Bytes, N), N);
}

template <class Counters>
GM_INLINE void countElsewhere(const Counters &C, const Access &A, gmprof_u64 Address,
                              gmprof_u64 Bytes, gmprof_u64 N) {
  findAndCount<Counters>(A.Objects, A.ObjectCount, A.Totals, A.Kind, C.Threshold, Address, Bytes,
                         N);
}

/// N accesses by each lane of what has no root. Not inlined: the search costs more
/// than the call.
template <class Counters>
__device__ __attribute__((noinline)) void
findAndCountByLanes(const GmprofGlobalObject *Objects, gmprof_u32 ObjectCount,
                    GmprofGlobalTotals *Totals, gmprof_u32 Kind, gmprof_u32 Threshold,
                    gmprof_u64 Address, gmprof_u64 Bytes, gmprof_u64 N) {
  Access A{Objects, ObjectCount, Totals, nullptr, Kind};
  Counters{Threshold}.template addByLanes<false>(countersByFinding<Counters>(A, Address, Bytes, N),
                                                 N);
}

/// One access by each lane of an aligned address.
template <class Counters>
GM_INLINE void countOne(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u32 Bytes) {
  if (!A.Root) {
    findAndCountByLanes<Counters>(A.Objects, A.ObjectCount, A.Totals, A.Kind, C.Threshold, Address,
                                  Bytes, 1);
    return;
  }
  gmprof_u64 Offset = Address - A.Root->base;
  if (Offset < A.Root->bytes)
    C.template addByLanes<true>(alignedCountersIn<Counters>(A.Root, A.Kind, Offset, Bytes), 1);
  else
    countElsewhere(C, A, Address, Bytes, 1);
}

/// N accesses by each lane.
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
    C.template addByLanes<false>(countersIn<Counters>(A.Root, A.Kind, Offset, Bytes), N);
  else
    countElsewhere(C, A, Address, Bytes, N);
}

/// This thread counts for several.
template <class Counters>
GM_INLINE void countByThread(const Counters &C, const Access &A, gmprof_u64 Address,
                             gmprof_u64 Bytes, gmprof_u64 N) {
  if (Bytes == 0 || N == 0)
    return;
  gmprof_u64 Offset = A.Root ? Address - A.Root->base : 0;
  if (A.Root && Offset < A.Root->bytes)
    C.add(countersIn<Counters>(A.Root, A.Kind, Offset, Bytes), N);
  else
    countElsewhere(C, A, Address, Bytes, N);
}

/// The lanes here often have the same address. The first counts for those that
/// have its address and number.
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

/// The whole warp has accessed the tile, but its lanes need not be together any
/// more: each has rows of its own.
template <class Counters>
GM_INLINE void countTile(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u32 Rows,
                         gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u64 N) {
  for (gmprof_u32 Row = lane(); Row < Rows; Row += warpSize)
    countByThread(C, A, Address + (gmprof_u64)Row * Stride, RowBytes, N);
}

/// Adds to counters in runs, Step apart from each other, each Length bytes long but
/// for the last one. The cells that they are in are shared between workers, of which
/// this is number Rank.
template <class Counters>
GM_INLINE void addRuns(const Counters &C, gmprof_u64 Begin, gmprof_i64 Step, gmprof_u64 Runs,
                       gmprof_u64 Length, gmprof_u64 LastLength, gmprof_u64 N, gmprof_u32 Rank,
                       gmprof_u32 Workers) {
  gmprof_u64 Cells = (Length + 7) / 8 + 1;
  gmprof_u32 Width = (gmprof_u32)minimum(Cells, (gmprof_u64)Workers);
  gmprof_u32 Groups = Workers / Width, Group = Rank / Width;
  if (Group >= Groups)
    return;
  for (gmprof_u64 Run = Group; Run < Runs; Run += Groups) {
    gmprof_u64 First = Begin + Run * Step;
    gmprof_u64 Last = First + (Run + 1 == Runs ? LastLength : Length);
    for (gmprof_u64 Cell = (First & ~7ull) + 8 * (Rank - Group * Width); Cell < Last;
         Cell += 8 * Width)
      C.add({Cell < First ? First : Cell, minimum(Cell + 8, Last)}, N);
  }
}

/// What a sweep needs to know of an object.
struct SweptObject {
  gmprof_u64 Base, Bytes, Counters;
  gmprof_u32 Shift;

  /// Whether bytes are in the object, and are whole elements, as are Access and
  /// Stride.
  GM_INLINE bool hasElements(gmprof_u64 Low, gmprof_u64 Length, gmprof_u32 Access,
                             gmprof_i64 Stride) const {
    gmprof_u64 Offset = Low - Base, Mask = (1ull << Shift) - 1;
    return Offset < Bytes && Length <= Bytes - Offset &&
           ((Offset | Access | (gmprof_u64)Stride) & Mask) == 0;
  }
};

/// A sweep over parts of elements, or that leaves the object: access by access, but
/// for those that follow each other in one element.
template <class Counters>
GM_INLINE void countSteps(const Counters &C, const Access &A, SweptObject O, gmprof_u64 Address,
                          gmprof_u32 Bytes, gmprof_i64 Stride, gmprof_u64 Trips, gmprof_u32 N) {
  CounterRange Pending = {0, 0};
  gmprof_u64 Times = 0;
  for (gmprof_u64 Trip = 0; Trip != Trips; ++Trip, Address += Stride) {
    gmprof_u64 Offset = Address - O.Base;
    if (Offset >= O.Bytes) {
      countElsewhere(C, A, Address, Bytes, N);
      continue;
    }
    CounterRange Range = countersFrom<Counters>(O.Counters, O.Bytes, O.Shift, Offset, Bytes);
    if (Range.Begin != Pending.Begin || Range.End != Pending.End) {
      C.add(Pending, Times);
      Pending = Range;
      Times = 0;
    }
    Times += N;
  }
  C.add(Pending, Times);
}

/// A sweep by each lane. Where all lanes have the same one, or each starts where the
/// one before it has its first access, the lanes share the work.
template <class Counters>
GM_INLINE void countSweep(const Counters &C, const Access &A, SweptObject O, gmprof_u64 Address,
                          gmprof_u32 Bytes, gmprof_i64 Stride, gmprof_u64 Trips, gmprof_u32 N) {
  if (Trips == 0)
    return;
  gmprof_i64 Way = (gmprof_i64)(Trips - 1) * Stride;
  gmprof_u64 Low = Way < 0 ? Address + Way : Address;
  gmprof_u64 Length = (Way < 0 ? -Way : Way) + Bytes;
  bool Inside = O.hasElements(Low, Length, Bytes, Stride);
  if (!Inside && Low - O.Base >= O.Bytes) {
    auto *Found =
        globalPointer<const GmprofGlobalObject>(__gm_global_find(A.Objects, A.ObjectCount, Low));
    if (Found) {
      O = {Found->base, Found->bytes, Found->counters[A.Kind], Found->elementShift};
      Inside = O.hasElements(Low, Length, Bytes, Stride);
    }
  }
  if (!Inside) {
    countSteps(C, A, O, Address, Bytes, Stride, Trips, N);
    return;
  }
  if (O.Counters == 0)
    return;

  constexpr gmprof_i64 Size = sizeof(typename Counters::Counter);
  gmprof_u64 Begin = O.Counters + ((Address - O.Base) >> O.Shift) * Size;
  gmprof_i64 Step = (Stride >> O.Shift) * Size;
  gmprof_u64 Part = (gmprof_u64)(Bytes >> O.Shift) * Size;
  bool IsDense = Stride == Bytes || Stride == -(gmprof_i64)Bytes;

  gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
  gmprof_u32 Rank = laneRank(Lanes), Count = laneCount(Lanes);
  gmprof_u64 FirstBegin = shuffle(Lanes, Begin, First), FirstTrips = shuffle(Lanes, Trips, First);
  gmprof_u32 Long = __ballot_sync(Lanes, Trips == FirstTrips), Short = Lanes & ~Long;
  bool IsSame = __all_sync(Lanes, Begin == FirstBegin && Trips == FirstTrips);
  bool IsNext = __all_sync(Lanes, Begin == FirstBegin + Rank * Part &&
                                      (Trips == FirstTrips || Trips + 1 == FirstTrips)) &&
                (Short == 0 || (Short & -Short) > Long);
  if (IsSame && IsDense)
    addRuns(C, Step < 0 ? Begin + (Trips - 1) * Step : Begin, 0, 1, Part * Trips, Part * Trips,
            (gmprof_u64)N * Count, Rank, Count);
  else if (IsSame)
    addRuns(C, Begin, Step, Trips, Part, Part, (gmprof_u64)N * Count, Rank, Count);
  else if (IsNext)
    addRuns(C, FirstBegin, Step, FirstTrips, Part * Count, Part * laneCount(Long), N, Rank, Count);
  else if (IsDense)
    addRuns(C, Step < 0 ? Begin + (Trips - 1) * Step : Begin, 0, 1, Part * Trips, Part * Trips, N,
            0, 1);
  else
    for (gmprof_u64 Trip = 0; Trip != Trips; ++Trip, Begin += Step)
      C.template addByLanes<false>({Begin, Begin + Part}, N);
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
      gmprof_u64 First, gmprof_u32 Shift, gmprof_u64 Address, gmprof_u32 Bytes, gmprof_i64 Stride, \
      gmprof_u64 Trips, gmprof_u32 N) {                                                            \
    countSweep(Counters{Threshold}, Access{Objects, ObjectCount, Totals, nullptr, Kind},           \
               SweptObject{Base, ObjectBytes, First, Shift}, Address, Bytes, Stride, Trips, N);    \
  }

HOOKS(atomic, AtomicCounters)
HOOKS(plain, PlainCounters)
HOOKS(u8, SaturatingCounters<gmprof_u8>)
HOOKS(u16, SaturatingCounters<gmprof_u16>)
HOOKS(u32, WideCounters)
