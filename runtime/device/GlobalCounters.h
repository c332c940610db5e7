//===- GlobalCounters.h - Counters of elements of global memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access's counters are found from its address: in the object that the launch
// parameter holds for the access's variable, else by binary search in all objects.
// They are consecutive, because elements are. Counters are one of
//
//   SaturatingCounters   8 or 16 bits, exact up to the threshold. Updated by
//                        comparing and exchanging the 64 bits around them (a
//                        cell): an addition could carry into the neighbour. A
//                        plain load comes first, so that a counter at the
//                        threshold costs no more than that. Its value may be old,
//                        but then the exchange fails and gives the present one.
//                        Of the lanes that are here together, one makes all the
//                        updates of a cell.
//   WideCounters         32 bits, looked at and then added to: exact up to the
//                        threshold. Below 2^32 there is room for what all warps
//                        of a GPU can add after they have looked. Lanes with the
//                        same counter add together.
//   AtomicCounters       the same, but each lane for itself: levels basic and sa
//   PlainCounters        32 bits, loaded, added to and stored, which loses counts
//                        of threads that do so at the same time: levels sa-na and
//                        sa-na-sm. What is counted for others is added atomically.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_GLOBALCOUNTERS_H
#define GMPROF_DEVICE_GLOBALCOUNTERS_H

#include "Device.h"

namespace gmprof {

template <class T> using GlobalPointer = T __attribute__((address_space(1))) *;
template <class T> GM_INLINE GlobalPointer<T> globalPointer(gmprof_u64 Address) {
  return (GlobalPointer<T>)Address;
}

/// The addresses of some consecutive counters.
struct CounterRange {
  gmprof_u64 Begin, End;
};

/// Adds as long as it fits into 32 bits, with room for who looked before.
GM_INLINE void addBelow(gmprof_u64 Counter, gmprof_u64 N, gmprof_u32 Threshold) {
  // So little that the warps of a GPU add less than 2^26 together.
  constexpr gmprof_u64 SmallAddition = 1u << 12;
  GlobalPointer<gmprof_u32> Cell = globalPointer<gmprof_u32>(Counter);
  gmprof_u32 Seen = *Cell;
  if (Seen >= Threshold)
    return;
  if (N <= SmallAddition) {
    __atomic_fetch_add(Cell, (gmprof_u32)N, __ATOMIC_RELAXED);
    return;
  }
  while (Seen < Threshold) {
    gmprof_u64 Sum = Seen + minimum(N, (gmprof_u64)Threshold);
    gmprof_u32 New = (gmprof_u32)minimum(Sum, (gmprof_u64)Threshold);
    if (__atomic_compare_exchange_n(Cell, &Seen, New, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

/// The 64-bit value of another lane.
GM_INLINE gmprof_u64 shuffle(gmprof_u32 Lanes, gmprof_u64 Value, gmprof_u32 Lane) {
  gmprof_u32 Low = __shfl_sync(Lanes, (gmprof_u32)Value, Lane);
  gmprof_u32 High = __shfl_sync(Lanes, (gmprof_u32)(Value >> 32), Lane);
  return (gmprof_u64)High << 32 | Low;
}

struct AtomicCounters {
  using Counter = gmprof_u32;
  gmprof_u32 Threshold;

  /// Adds N to each counter: this thread for others, and every thread for itself.
  GM_INLINE void add(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter))
      addBelow(At, N, Threshold);
  }
  /// Adds N by each lane that is here. One: N is 1.
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const { add(R, N); }
};

struct WideCounters : AtomicCounters {
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter)) {
      if (*globalPointer<Counter>(At) >= Threshold)
        continue;
      gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
      // All lanes take part in both exchanges: && would leave some of them out.
      gmprof_u64 FirstAt = shuffle(Lanes, At, First);
      gmprof_u64 FirstN = One ? N : shuffle(Lanes, N, First);
      if (!__all_sync(Lanes, FirstAt == At && FirstN == N))
        addBelow(At, N, Threshold);
      else if (lane() == First)
        addBelow(At, minimum(N, (gmprof_u64)Threshold) * laneCount(Lanes), Threshold);
    }
  }
};

struct PlainCounters : AtomicCounters {
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter)) {
      GlobalPointer<volatile Counter> Cell = globalPointer<volatile Counter>(At);
      gmprof_u64 Sum = *Cell + minimum(N, (gmprof_u64)Threshold);
      *Cell = (Counter)minimum(Sum, (gmprof_u64)Threshold);
    }
  }
};

template <class T> struct SaturatingCounters {
  using Counter = T;
  gmprof_u32 Threshold;

  GM_INLINE void add(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End;) {
      Part P(At, R.End);
      exchange(P.Cell, P.look(), P.each(minimum(N, (gmprof_u64)Threshold)));
      At += P.Bytes;
    }
  }

  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End;) {
      Part P(At, R.End);
      gmprof_u64 Seen = P.look();
      if (((Seen ^ full()) & P.mask()) != 0)
        addTogether<One>(P, Seen, (gmprof_u32)minimum(N, (gmprof_u64)Threshold));
      At += P.Bytes;
    }
  }

private:
  static constexpr unsigned Bits = sizeof(T) * 8, PerCell = 64 / Bits;
  static constexpr gmprof_u64 Max = (T)~0u, Top = (Max + 1) / 2, Ones = ~0ull / Max,
                              Tops = Ones * Top;

  /// Counters of one cell.
  struct Part {
    gmprof_u64 Cell;
    gmprof_u32 Shift, Bytes;

    GM_INLINE Part(gmprof_u64 At, gmprof_u64 End) {
      gmprof_u32 Offset = (gmprof_u32)At & 7;
      Cell = At & ~7ull;
      Shift = Offset * 8;
      Bytes = (gmprof_u32)minimum((gmprof_u64)8 - Offset, End - At);
    }
    /// Without an atomic operation: may be an old value.
    GM_INLINE gmprof_u64 look() const { return *globalPointer<gmprof_u64>(Cell); }
    GM_INLINE gmprof_u64 mask() const { return ~0ull >> (64 - 8 * Bytes) << Shift; }
    GM_INLINE gmprof_u64 each(gmprof_u64 N) const { return (Ones & mask()) * N; }
  };

  GM_INLINE gmprof_u64 full() const { return Ones * Threshold; }

  /// For each counter the sum, at most the threshold.
  GM_INLINE gmprof_u64 saturatedSum(gmprof_u64 A, gmprof_u64 B) const {
    gmprof_u64 Sum = ((A & ~Tops) + (B & ~Tops)) ^ ((A ^ B) & Tops);
    gmprof_u64 Over = ((A & B) | ((A | B) & ~Sum)) & Tops; // carried
    if (Threshold != Max) {
      // Bits below the top one are compared by an addition that carries into it.
      gmprof_u64 Low = (Sum & ~Tops) + Ones * (Top - 1 - (Threshold & (Top - 1)));
      Over |= (Threshold & Top ? Low & Sum : Low | Sum) & Tops;
    }
    gmprof_u64 Mask = (Over >> (Bits - 1)) * Max;
    return (Sum & ~Mask) | (full() & Mask);
  }

  GM_INLINE void exchange(gmprof_u64 Cell, gmprof_u64 Seen, gmprof_u64 Delta) const {
    for (;;) {
      gmprof_u64 New = saturatedSum(Seen, Delta);
      if (New == Seen || __atomic_compare_exchange_n(globalPointer<gmprof_u64>(Cell), &Seen, New,
                                                     false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    }
  }

  /// Adds N to the counters of a part by each lane that is here. One: N is 1.
  template <bool One>
  GM_INLINE void addTogether(const Part &P, gmprof_u64 Seen, gmprof_u32 N) const {
    gmprof_u32 Lanes = activeLanes();
    if (!One && !__all_sync(Lanes, __shfl_sync(Lanes, N, firstLane(Lanes)) == N)) {
      exchange(P.Cell, Seen, P.each(N));
      return;
    }
    // The low bits of a cell's address are free.
    gmprof_u32 Group = __nvvm_match_any_sync_i64(Lanes, P.Cell | (P.Bytes - 1));
    gmprof_u64 Starts = 0; // lanes of the group whose part starts at a counter
#pragma unroll
    for (unsigned Shift = 0; Shift != 64; Shift += Bits) {
      gmprof_u32 Here = __ballot_sync(Lanes, P.Shift == Shift);
      Starts |= (gmprof_u64)laneCount(Here & Group) << Shift;
    }
    if (lane() != firstLane(Group))
      return;
    gmprof_u64 Counts = Starts * (Ones & (~0ull >> (64 - 8 * P.Bytes)));
    exchange(P.Cell, Seen, One ? Counts : times(Counts, N));
  }

  /// Each counter's number of lanes times N.
  GM_INLINE gmprof_u64 times(gmprof_u64 Lanes, gmprof_u32 N) const {
    gmprof_u64 Result = 0;
    for (unsigned Shift = 0; Shift != 64; Shift += Bits) {
      gmprof_u64 Product = (Lanes >> Shift & Max) * N;
      Result |= minimum(Product, (gmprof_u64)Threshold) << Shift;
    }
    return Result;
  }
};

} // namespace gmprof

#endif // GMPROF_DEVICE_GLOBALCOUNTERS_H
