//===- Objects.cu - Hooks that record which objects are accessed ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hit is a byte that is stored, never added to, so the order of threads does not matter. All
// threads of the launch set the same few hits, so each loads a hit first and mostly finds it set. A
// stale load only causes a redundant store.
//
// An address is searched in the launch's ranges of memory. A thread remembers the last range that
// it found: pointers loaded from one array mostly point into one object.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace gmprof;

GM_INLINE void hit(GlobalPointer<gmprof_u8> Hit) {
  if (*Hit == 0)
    *Hit = 1;
}

/// Returns the hits of this block's replica.
GM_HOOK gmprof_u8 *__gm_hits_of_block(const GmprofObjectsLaunch *Launch) {
  const gmprof_u64 Replica = blockInGrid() & (Launch->replicas - 1);
  return (gmprof_u8 *)(Launch->hits + (Replica << Launch->replicaShift));
}

/// Sets those of eight hits whose byte in `Hits` is 1.
GM_HOOK void __gm_hit_flags(gmprof_u8 *HitsOfBlock, gmprof_u32 First, gmprof_u64 Hits) {
  auto *Flags = (GlobalPointer<gmprof_u8>)HitsOfBlock + First;
  const gmprof_u64 Missing = Hits & ~*(GlobalPointer<gmprof_u64>)Flags;
  if (Missing == 0)
    return;
  for (unsigned I = 0; I != 8; ++I)
    if (Missing >> (8 * I) & 1)
      Flags[I] = 1;
}

namespace gmprof {
/// Range of the last accesses of one kind through a pointer.
struct LastRange {
  gmprof_u64 Base, Bytes; ///< 0 bytes: none yet
};
} // namespace gmprof

/// Records an access at Address and returns its range. The address may belong to any space: only
/// global addresses are in a range. Each step loads three bounds at once, because memory latency
/// dominates. More bounds, or a call instead of inline code, would take registers and so occupancy
/// from the program's kernel.
GM_INLINE LastRange findObject(const GmprofObjectsLaunch *Launch, gmprof_u32 Kinds,
                               gmprof_u64 Address) {
  constexpr gmprof_u32 Ways = 4;
  if (!__nvvm_isspacep_global((const void *)Address))
    return {0, 0};
  auto *Ranges = (GlobalPointer<const GmprofObjectRange>)Launch->objects;
  gmprof_u32 First = 0, Count = Launch->objectCount;
#pragma nounroll
  while (Count > 1) {
    const gmprof_u32 Step = (Count + Ways - 1) / Ways;
    gmprof_u32 Skipped = 0;
#pragma unroll
    for (gmprof_u32 I = 1; I != Ways; ++I)
      if (I * Step < Count && Ranges[First + I * Step].base <= Address)
        Skipped = I * Step;
    First += Skipped;
    Count = minimum(Step, Count - Skipped);
  }
  auto *Hits = (GlobalPointer<gmprof_u8>)__gm_hits_of_block(Launch);
  const LastRange Found = Count ? LastRange{Ranges[First].base, Ranges[First].bytes} : LastRange{};
  if (Address - Found.Base >= Found.Bytes) {
    hit(Hits + GMPROF_HIT_OUTSIDE);
    return {0, 0};
  }
  Hits += Launch->objectHits + 2 * (gmprof_u64)First;
  if (Kinds & GMPROF_TOUCH_READS)
    hit(Hits);
  if (Kinds & GMPROF_TOUCH_WRITES)
    hit(Hits + 1);
  return Found;
}

/// Records an access to the object at Address, unless it is in the last range found.
GM_HOOK void __gm_hit_object(const GmprofObjectsLaunch *Launch, LastRange *Last, gmprof_u32 Kinds,
                             gmprof_u64 Address) {
  if (__builtin_expect(Address - Last->Base < Last->Bytes, 1))
    return;
  const LastRange Found = findObject(Launch, Kinds, Address);
  if (Found.Bytes != 0)
    *Last = Found;
}

/// Records an earlier access to the object at Address; 0: there was none.
GM_HOOK void __gm_hit_object_before(const GmprofObjectsLaunch *Launch, gmprof_u32 Kinds,
                                    gmprof_u64 Address) {
  if (Address != 0)
    findObject(Launch, Kinds, Address);
}

/// Returns whether `Here` holds for any of the active lanes.
GM_HOOK bool __gm_any_lane(bool Here) { return __nvvm_vote_any_sync(activeLanes(), Here); }
