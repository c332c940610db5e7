//===- GlobalAccess.h - Counts single accesses to global memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_GLOBALACCESS_H
#define GMPROF_DEVICE_GLOBALACCESS_H

#include "GlobalCounters.h"

/// Returns the address of the object that contains an address, or 0. Not inlined: rare.
GM_HELPER gmprof_u64 __gm_global_find(const GmprofGlobalObject *Objects, gmprof_u32 Count,
                                      gmprof_u64 Address);

namespace gmprof {

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

} // namespace gmprof

#endif // GMPROF_DEVICE_GLOBALACCESS_H
