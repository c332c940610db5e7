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

#include "GlobalAccess.h"
#include "GlobalSweep.h"

using namespace gmprof;

GM_HOOK void __gm_enter_global(GmprofGlobalTotals *Totals) {
  if (threadInBlock() != 0)
    return;
  addGlobal(&Totals->blocks, 1ull);
  addGlobal(&Totals->threads, (gmprof_u64)threadsOfBlock());
}

GM_HELPER gmprof_u64 __gm_global_find(const GmprofGlobalObject *Objects, gmprof_u32 Count,
                                      gmprof_u64 Address) {
  return (gmprof_u64)objectAt((GlobalPointer<const GmprofGlobalObject>)Objects, Count, Address);
}

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
