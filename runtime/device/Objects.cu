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

template <class T> using GlobalPointer = T __attribute__((address_space(1))) *;

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
constexpr gmprof_u32 Nowhere = ~0u;
} // namespace gmprof

/// The number of the range that an address lies in. Of each part of the ranges, eight are
/// looked at at the same time: what takes long is to wait for memory.
GM_HELPER gmprof_u32 __gm_range_of(const GmprofObjectRange *Ranges, gmprof_u32 Count,
                                   gmprof_u64 Address) {
  constexpr gmprof_u32 Ways = 8;
  auto *All = (GlobalPointer<const GmprofObjectRange>)Ranges;
  gmprof_u32 First = 0;
  while (Count > 1) {
    const gmprof_u32 Step = (Count + Ways - 1) / Ways;
    gmprof_u32 Skipped = 0;
#pragma unroll
    for (gmprof_u32 I = 1; I != Ways; ++I)
      if (I * Step < Count && All[First + I * Step].base <= Address)
        Skipped = I * Step;
    First += Skipped;
    Count = minimum(Step, Count - Skipped);
  }
  return Count != 0 && Address - All[First].base < All[First].bytes ? First : Nowhere;
}

/// The object at Address is accessed. The address may be of other memory: but what is in
/// a range is in global memory.
GM_HOOK void __gm_hit_object(const GmprofObjectRange *Ranges, gmprof_u32 Count, gmprof_u8 *Hits,
                             gmprof_u8 *ObjectHits, LastRange *Last, gmprof_u32 Kinds,
                             gmprof_u64 Address) {
  if (Address - Last->Base < Last->Bytes || !__nvvm_isspacep_global((const void *)Address))
    return;
  const gmprof_u32 Index = __gm_range_of(Ranges, Count, Address);
  if (Index == Nowhere) {
    hit((GlobalPointer<gmprof_u8>)Hits + GMPROF_HIT_OUTSIDE);
    return;
  }
  auto *Range = (GlobalPointer<const GmprofObjectRange>)Ranges + Index;
  *Last = {Range->base, Range->bytes};
  auto *Hit = (GlobalPointer<gmprof_u8>)ObjectHits + 2 * (gmprof_u64)Index;
  if (Kinds & GMPROF_TOUCH_READS)
    hit(Hit);
  if (Kinds & GMPROF_TOUCH_WRITES)
    hit(Hit + 1);
}
