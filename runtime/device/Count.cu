//===- Count.cu - Hooks that count accesses of shared memory ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each hook exists once for every kind of counters. Its first four parameters are the counters'
// fields, which the clone keeps in registers; the accessed shared address follows.
//
//   __gm_count_one_*         one access of the word at Address
//   __gm_count_pair_*        … of the two words at Address, aligned to 8 bytes
//   __gm_count_quad_*        … of the four words at Address, aligned to 16 bytes
//   __gm_count_few_*         N accesses of the word, few
//   __gm_count_times_*       N accesses of the word by this thread
//   __gm_count_for_others_*  N accesses of the word by several threads
//   __gm_count_active_*      N accesses of one word by each active lane
//   __gm_count_range_*       N accesses of all words that Bytes bytes touch
//   __gm_count_tile_*        N accesses by a warp of each word of a tile's rows
//
//===----------------------------------------------------------------------===//

#include "DeviceCounters.h"
#include "SharedCounters.h"

using namespace gmprof;

/// Counts N accesses by each active lane. Lanes have the same address if they are in the same
/// iterations of the surrounding loops: the first counts for all lanes with its address.
template <class Counters>
GM_INLINE void countActive(const Counters &C, SharedAddress Address, gmprof_u64 N) {
  gmprof_u32 Lanes = activeLanes();
  gmprof_u32 First = firstLane(Lanes);
  bool Same = __shfl_sync(Lanes, Address, First) == Address;
  gmprof_u32 Together = __ballot_sync(Lanes, Same);
  if (lane() == First)
    C.addAtomic(C.word(Address), N * laneCount(Together));
  else if (!Same)
    C.addAtomic(C.word(Address), N);
}

template <class Counters>
GM_INLINE void countRange(const Counters &C, SharedAddress Address, gmprof_u64 Bytes,
                          gmprof_u64 N) {
  if (Bytes == 0)
    return;
  gmprof_u32 Last = C.word(Address + (gmprof_u32)Bytes - 1);
  for (gmprof_u32 Word = C.word(Address); Word <= Last; ++Word)
    C.few(Word, N);
}

template <class Counters>
GM_INLINE void countTile(const Counters &C, SharedAddress Address, gmprof_u32 Rows,
                         gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u64 N) {
  // The whole warp has accessed the tile, but its lanes may have diverged since: each counts rows
  // of its own.
  for (gmprof_u32 Row = lane(); Row < Rows; Row += warpSize)
    countRange(C, Address + Row * Stride, RowBytes, N);
}

#define SHARED_FIELDS                                                                              \
  SharedAddress Base, SharedAddress First, gmprof_u32 Words, gmprof_u32 Threshold
#define DEVICE_FIELDS                                                                              \
  gmprof_u64 *Sums, GmprofSharedLayout *Layout, SharedAddress First, gmprof_u32 Words

#define HOOKS(Kind, Counters, Fields, ...)                                                         \
  GM_HOOK void __gm_count_one_##Kind(Fields, SharedAddress Address) {                              \
    Counters C{__VA_ARGS__};                                                                       \
    C.one(C.word(Address));                                                                        \
  }                                                                                                \
  GM_HOOK void __gm_count_pair_##Kind(Fields, SharedAddress Address) {                             \
    Counters C{__VA_ARGS__};                                                                       \
    C.template together<2>(C.word(Address));                                                       \
  }                                                                                                \
  GM_HOOK void __gm_count_quad_##Kind(Fields, SharedAddress Address) {                             \
    Counters C{__VA_ARGS__};                                                                       \
    C.template together<4>(C.word(Address));                                                       \
  }                                                                                                \
  GM_HOOK void __gm_count_few_##Kind(Fields, SharedAddress Address, gmprof_u32 N) {                \
    Counters C{__VA_ARGS__};                                                                       \
    C.few(C.word(Address), N);                                                                     \
  }                                                                                                \
  GM_HOOK void __gm_count_times_##Kind(Fields, SharedAddress Address, gmprof_u64 N) {              \
    Counters C{__VA_ARGS__};                                                                       \
    C.add(C.word(Address), N);                                                                     \
  }                                                                                                \
  GM_HOOK void __gm_count_for_others_##Kind(Fields, SharedAddress Address, gmprof_u64 N) {         \
    Counters C{__VA_ARGS__};                                                                       \
    C.addAtomic(C.word(Address), N);                                                               \
  }                                                                                                \
  GM_HOOK void __gm_count_active_##Kind(Fields, SharedAddress Address, gmprof_u64 N) {             \
    countActive(Counters{__VA_ARGS__}, Address, N);                                                \
  }                                                                                                \
  GM_HOOK void __gm_count_range_##Kind(Fields, SharedAddress Address, gmprof_u64 Bytes,            \
                                       gmprof_u64 N) {                                             \
    countRange(Counters{__VA_ARGS__}, Address, Bytes, N);                                          \
  }                                                                                                \
  GM_HOOK void __gm_count_tile_##Kind(Fields, SharedAddress Address, gmprof_u32 Rows,              \
                                      gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u64 N) {      \
    countTile(Counters{__VA_ARGS__}, Address, Rows, RowBytes, Stride, N);                          \
  }

#define COMMA ,
#define SHARED_HOOKS(Kind, T, Atomic)                                                              \
  HOOKS(Kind, SharedCounters<T COMMA Atomic>, SHARED_FIELDS, Base, First, Words, Threshold)
#define DEVICE_HOOKS(Kind, Atomic)                                                                 \
  HOOKS(Kind, DeviceCounters<Atomic>, DEVICE_FIELDS, Sums, Layout, First, Words)

SHARED_HOOKS(u8, gmprof_u8, false)
SHARED_HOOKS(u16, gmprof_u16, false)
SHARED_HOOKS(u32, gmprof_u32, false)
SHARED_HOOKS(u16_atomic, gmprof_u16, true)
SHARED_HOOKS(u32_atomic, gmprof_u32, true)
DEVICE_HOOKS(device, false)
DEVICE_HOOKS(device_atomic, true)
