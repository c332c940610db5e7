//===- DeviceCounters.h - A launch's counters in device memory --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts directly into the launch's sums: exact with atomic updates, at the cost of a device memory
// operation per access. Plain updates exist only for comparison with the paper's levels.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_DEVICECOUNTERS_H
#define GMPROF_DEVICE_DEVICECOUNTERS_H

#include "Device.h"

namespace gmprof {

template <bool AtomicUpdates> struct DeviceCounters {
  gmprof_u64 *Sums; ///< sums of this block's replica
  GmprofSharedLayout *Layout;
  SharedAddress First;
  gmprof_u32 Words;

  GM_INLINE gmprof_u32 word(SharedAddress Address) const { return (Address - First) >> 2; }

  GM_INLINE gmprof_u64 *counter(gmprof_u32 Word) const {
    return Word < Words ? Sums + Word : &Layout->lost;
  }

  GM_INLINE void one(gmprof_u32 Word) const { add(Word, 1); }

  GM_INLINE void few(gmprof_u32 Word, gmprof_u64 N) const { add(Word, N); }

  GM_INLINE void add(gmprof_u32 Word, gmprof_u64 N) const {
    if constexpr (AtomicUpdates)
      addGlobal(counter(Word), N);
    else
      *(volatile __attribute__((address_space(1))) gmprof_u64 *)counter(Word) += N;
  }

  GM_INLINE void addAtomic(gmprof_u32 Word, gmprof_u64 N) const { addGlobal(counter(Word), N); }

  template <unsigned Number> GM_INLINE void together(gmprof_u32 Word) const {
    for (unsigned I = 0; I != Number; ++I)
      one(Word + I);
  }
};

} // namespace gmprof

#endif // GMPROF_DEVICE_DEVICECOUNTERS_H
