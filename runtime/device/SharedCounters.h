//===- SharedCounters.h - A block's counters in shared memory ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One saturating counter of 8, 16 or 32 bits per 4-byte word of shared memory.
//
// Plain updates are a load, a comparison with the threshold and a store. Concurrent updates of one
// counter lose counts: lanes of one warp in one instruction count as one, and interleaved updates
// of two warps may lose one. Updates on behalf of several threads are always atomic.
//
// Atomic updates are exact below the threshold. Counters of 16 bits are checked the threshold
// before the addition, so at most one addition per thread of the block can exceed it; the threshold
// leaves room for 1024 additions of 1. Counters of 32 bits are added to without a check, which
// would cost more than the addition, and the flush applies the threshold: a word cannot be accessed
// 2^32 times before the block has run for GmprofSharedLaunch::longBlock.
//
// An address outside the counted words is counted in a spare counter behind the others: clamping
// costs less than a branch.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_SHAREDCOUNTERS_H
#define GMPROF_DEVICE_SHAREDCOUNTERS_H

#include "Device.h"

namespace gmprof {

template <class T, bool AtomicUpdates> struct SharedCounters {
  SharedAddress Base;  ///< address of counter 0
  SharedAddress First; ///< address of word 0, a multiple of 16
  gmprof_u32 Words;    ///< a multiple of 4
  gmprof_u32 Threshold;

  GM_INLINE gmprof_u32 word(SharedAddress Address) const { return (Address - First) >> 2; }

  GM_INLINE SharedAddress counter(gmprof_u32 Word) const {
    return Base + minimum(Word, Words) * sizeof(T);
  }

  GM_INLINE gmprof_u32 value(gmprof_u32 Word) const { return *sharedPointer<T>(counter(Word)); }

  /// Counts one access of a word by this thread.
  GM_INLINE void one(gmprof_u32 Word) const {
    SharedAddress Counter = counter(Word);
    if constexpr (JustAdds) {
      __atomic_fetch_add(sharedPointer<T>(Counter), 1u, __ATOMIC_RELAXED);
      return;
    }
    gmprof_u32 Old = *sharedPointer<T>(Counter);
    if (Old >= Threshold)
      return;
    if constexpr (!AtomicUpdates)
      *sharedPointer<T>(Counter) = Old + 1;
    else
      __atomic_fetch_add(cell(Counter), 1u << shift(Counter), __ATOMIC_RELAXED);
  }

  /// Counts a few accesses of a word by this thread, together.
  GM_INLINE void few(gmprof_u32 Word, gmprof_u64 N) const {
    if constexpr (AtomicUpdates) {
      addAtomic(Word, N);
    } else {
      SharedAddress Counter = counter(Word);
      gmprof_u32 Old = *sharedPointer<T>(Counter);
      if (Old < Threshold)
        *sharedPointer<T>(Counter) = saturatedSum(Old, N);
    }
  }

  /// Counts N accesses of a word by this thread, at the end of a loop.
  GM_INLINE void add(gmprof_u32 Word, gmprof_u64 N) const {
    if constexpr (AtomicUpdates) {
      addTogether(Word, N);
    } else {
      SharedAddress Counter = counter(Word);
      gmprof_u32 Old = *sharedPointer<T>(Counter);
      *sharedPointer<T>(Counter) = saturatedSum(Old, N);
    }
  }

  /// Counts N accesses of a word on behalf of several threads.
  GM_INLINE void addAtomic(gmprof_u32 Word, gmprof_u64 N) const {
    SharedAddress Counter = counter(Word);
    if constexpr (JustAdds) {
      if (N < SmallAddition) {
        __atomic_fetch_add(sharedPointer<T>(Counter), (gmprof_u32)N, __ATOMIC_RELAXED);
        return;
      }
    }
    exchange(Counter, N);
  }

  /// Counts N accesses by each active lane. Lanes often access the same word (of a row, or a
  /// broadcast): then the first lane adds for all, instead of one lane after the other.
  GM_INLINE void addTogether(gmprof_u32 Word, gmprof_u64 N) const {
    gmprof_u32 Lanes = activeLanes();
    gmprof_u32 First = firstLane(Lanes);
    gmprof_u32 Times = N < Threshold ? (gmprof_u32)N : Threshold;
    // All lanes take part in both shuffles: && would leave some of them out.
    gmprof_u32 FirstWord = __shfl_sync(Lanes, Word, First);
    gmprof_u32 FirstTimes = __shfl_sync(Lanes, Times, First);
    if (!__all_sync(Lanes, FirstWord == Word && FirstTimes == Times))
      addAtomic(Word, Times);
    else if (lane() == First)
      addAtomic(Word, (gmprof_u64)Times * laneCount(Lanes));
  }

  /// Counts one access of each of 2 or 4 words, the first word being a multiple of their number;
  /// updates adjacent small counters together.
  template <unsigned Number> GM_INLINE void together(gmprof_u32 Word) const {
    if constexpr (AtomicUpdates || sizeof(T) == 4) {
      for (unsigned I = 0; I != Number; ++I)
        one(Word + I);
    } else if constexpr (Number * sizeof(T) == 2) {
      incrementEach<gmprof_u16>(counter(Word));
    } else {
      for (unsigned Byte = 0; Byte != Number * sizeof(T); Byte += 4)
        incrementEach<gmprof_u32>(counter(Word) + Byte);
    }
  }

private:
  static constexpr bool JustAdds = AtomicUpdates && sizeof(T) == 4;
  static constexpr gmprof_u64 SmallAddition = 1u << 16;

  /// Adds N by compare-and-exchange of the 32-bit cell that holds the counter.
  GM_INLINE void exchange(SharedAddress Counter, gmprof_u64 N) const {
    SharedPointer<gmprof_u32> Cell = cell(Counter);
    gmprof_u32 Mask = (gmprof_u32)(T)~0u;
    gmprof_u32 Seen = *Cell;
    for (;;) {
      gmprof_u32 Old = (Seen >> shift(Counter)) & Mask;
      if (N == 0 || Old >= Threshold)
        return;
      gmprof_u32 New =
          (Seen & ~(Mask << shift(Counter))) | (saturatedSum(Old, N) << shift(Counter));
      if (__atomic_compare_exchange_n(Cell, &Seen, New, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    }
  }

  /// Returns the 32-bit cell that holds a counter.
  static GM_INLINE SharedPointer<gmprof_u32> cell(SharedAddress Counter) {
    return sharedPointer<gmprof_u32>(sizeof(T) == 4 ? Counter : Counter & ~3u);
  }

  static GM_INLINE unsigned shift(SharedAddress Counter) {
    return sizeof(T) == 4 ? 0 : (Counter & 3u) * 8;
  }

  GM_INLINE gmprof_u32 saturatedSum(gmprof_u32 Old, gmprof_u64 N) const {
    gmprof_u64 Sum = Old + (N < Threshold ? N : Threshold);
    return Sum < Threshold ? (gmprof_u32)Sum : Threshold;
  }

  /// Increments each T in a Cell that is below the threshold. `Full` has the top bit of each T that
  /// has reached it: adding to the low bits carries into the top bit, which is then combined with
  /// the T's own.
  template <class Cell> GM_INLINE void incrementEach(SharedAddress Address) const {
    constexpr gmprof_u32 Ones = sizeof(T) == 1 ? 0x01010101u : 0x00010001u;
    constexpr gmprof_u32 Top = 1u << (8 * sizeof(T) - 1), Tops = Ones * Top;
    gmprof_u32 Old = *sharedPointer<Cell>(Address);
    gmprof_u32 Low = (Old & ~Tops) + Ones * (Top - (Threshold & (Top - 1)));
    gmprof_u32 Full = Tops & (Threshold & Top ? Low & Old : Low | Old);
    *sharedPointer<Cell>(Address) = Old + (Ones & ~(Full >> (8 * sizeof(T) - 1)));
  }
};

} // namespace gmprof

#endif // GMPROF_DEVICE_SHAREDCOUNTERS_H
