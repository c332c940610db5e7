//===- Objects.cu - The hooks that note which objects are accessed --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hits are bytes that are stored to, never added to: whoever comes first or last, a hit
// is 1. All threads of the launch set the same few, so each looks first, and finds it set
// already but for the first ones. What it sees may be old; then it stores in vain.
//
// An address is searched among the launch's ranges of memory. A thread remembers the last
// range that it found: pointers that come from one array mostly lead to one object.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace gmprof;

GM_INLINE void hit(GlobalPointer<gmprof_u8> Hit) {
  if (*Hit == 0)
    *Hit = 1;
}

/// Where this block notes its hits.
GM_HOOK gmprof_u8 *__gm_hits_of_block(const GmprofObjectsLaunch *Launch) {
  const gmprof_u64 Replica = blockInGrid() & (Launch->replicas - 1);
  return (gmprof_u8 *)(Launch->hits + (Replica << Launch->replicaShift));
}

/// Sets those hits of eight that are 1 in Hits.
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
/// Where the last accesses of one kind through a pointer were.
struct LastRange {
  gmprof_u64 Base, Bytes; ///< 0 bytes: none yet
};
} // namespace gmprof

/// Notes that memory at Address is accessed, which may be of any space: but what is in a
/// range is in global memory. The result is its range. Of each part of the ranges, four are
/// looked at at the same time, because what takes long is to wait for memory. More, or a call
/// instead of these lines, take registers, and so warps from the program's kernel.
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

/// The object at Address is accessed.
GM_HOOK void __gm_hit_object(const GmprofObjectsLaunch *Launch, LastRange *Last, gmprof_u32 Kinds,
                             gmprof_u64 Address) {
  if (__builtin_expect(Address - Last->Base < Last->Bytes, 1))
    return;
  const LastRange Found = findObject(Launch, Kinds, Address);
  if (Found.Bytes != 0)
    *Last = Found;
}

/// The object at Address was accessed, if that is not 0.
GM_HOOK void __gm_hit_object_before(const GmprofObjectsLaunch *Launch, gmprof_u32 Kinds,
                                    gmprof_u64 Address) {
  if (Address != 0)
    findObject(Launch, Kinds, Address);
}

/// Whether it holds for any of the lanes that are here together.
GM_HOOK bool __gm_any_lane(bool Here) { return __nvvm_vote_any_sync(activeLanes(), Here); }
