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
extern "C" __device__ __attribute__((used, noinline)) gmprof_u64
__gm_global_find(const GmprofGlobalObject *Objects, gmprof_u32 Count, gmprof_u64 Address) {
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

/// The counters of Bytes bytes at Offset of an object; none if it is not counted.
template <class Counters, class Object>
GM_INLINE CounterRange countersIn(Object *O, gmprof_u32 Kind, gmprof_u64 Offset, gmprof_u64 Bytes) {
  gmprof_u64 First = O->counters[Kind];
  if (First == 0)
    return {0, 0};
  gmprof_u64 Last = minimum(Offset + Bytes, (gmprof_u64)O->bytes) - 1;
  constexpr gmprof_u64 Size = sizeof(typename Counters::Counter);
  return {First + (Offset >> O->elementShift) * Size,
          First + ((Last >> O->elementShift) + 1) * Size};
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

/// The counters of N accesses of what is in some object.
template <class Counters>
GM_INLINE CounterRange countersByFinding(const Access &A, gmprof_u64 Address, gmprof_u64 Bytes,
                                         gmprof_u64 N) {
  auto *Object =
      globalPointer<const GmprofGlobalObject>(__gm_global_find(A.Objects, A.ObjectCount, Address));
  if (!Object) {
    addGlobal(&A.Totals->outside, N);
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

/// One access by each lane of an aligned address.
template <class Counters>
GM_INLINE void countOne(const Counters &C, const Access &A, gmprof_u64 Address, gmprof_u32 Bytes) {
  if (!A.Root) {
    C.template addByLanes<true>(countersByFinding<Counters>(A, Address, Bytes, 1), 1);
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
    C.template addByLanes<false>(countersByFinding<Counters>(A, Address, Bytes, N), N);
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
  }

HOOKS(atomic, AtomicCounters)
HOOKS(plain, PlainCounters)
HOOKS(u8, SaturatingCounters<gmprof_u8>)
HOOKS(u16, SaturatingCounters<gmprof_u16>)
HOOKS(u32, WideCounters)
