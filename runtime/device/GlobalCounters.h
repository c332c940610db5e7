//===- GlobalCounters.h - Counters of elements of global memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counters of an access are found by its address: in the object that the launch parameter holds
// for the access's variable, else by binary search in all objects. Consecutive elements have
// consecutive counters. Kinds of counters:
//
//   PackedCounters       8 or 16 bits, four or two in a word, exact up to the threshold.
//                        Atomic additions to a word return its old value, so the thread that
//                        carries from one counter into the next detects it and repairs both
//                        (mendCarries). This is much cheaper than compare-and-exchange, which
//                        needs a load first and retries.
//   ReplicaCounters      64 bits, for objects so small that all threads would contend for
//                        their counters: several replicas exist, and a block adds to one of
//                        them without waiting for the result.
//   WideCounters         32 bits, loaded and then added to: exact up to the threshold. Below
//                        2^32 there is room for the additions of all warps of a GPU that have
//                        passed the check. Lanes with the same counter add together.
//   AtomicCounters       as WideCounters, but each lane adds for itself: levels basic and sa.
//   PlainCounters        32 bits, loaded, added to and stored, which loses concurrent
//                        additions: levels sa-na and sa-na-sm. Additions on behalf of several
//                        threads are atomic.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_GLOBALCOUNTERS_H
#define GMPROF_DEVICE_GLOBALCOUNTERS_H

#include "Device.h"

namespace gmprof {

/// Address range of consecutive counters.
struct CounterRange {
  gmprof_u64 Begin, End;
};

/// Adds N unless the counter has reached the threshold, which allows for concurrent additions that
/// passed the check.
GM_INLINE void addBelow(gmprof_u64 Counter, gmprof_u64 N, gmprof_u32 Threshold) {
  // Small enough that all warps of a GPU together add less than 2^26.
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

/// 32-bit counters with atomic additions by each thread.
struct AtomicCounters {
  using Counter = gmprof_u32;
  gmprof_u32 Threshold;

  /// Adds N to each counter by this thread, which may count for others.
  GM_INLINE void add(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter))
      addBelow(At, N, Threshold);
  }
  /// Adds N by each active lane. One: N is 1.
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const { add(R, N); }
};

/// 32-bit counters to which converged lanes add together.
struct WideCounters : AtomicCounters {
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter)) {
      if (*globalPointer<Counter>(At) >= Threshold)
        continue;
      gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
      // All lanes take part in both shuffles: && would leave some of them out.
      gmprof_u64 FirstAt = shuffle(Lanes, At, First);
      gmprof_u64 FirstN = One ? N : shuffle(Lanes, N, First);
      if (!__all_sync(Lanes, FirstAt == At && FirstN == N))
        addBelow(At, N, Threshold);
      else if (lane() == First)
        addBelow(At, minimum(N, (gmprof_u64)Threshold) * laneCount(Lanes), Threshold);
    }
  }
};

/// 32-bit counters with non-atomic updates.
struct PlainCounters : AtomicCounters {
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter)) {
      GlobalPointer<volatile Counter> Cell = globalPointer<volatile Counter>(At);
      gmprof_u64 Sum = *Cell + minimum(N, (gmprof_u64)Threshold);
      *Cell = (Counter)minimum(Sum, (gmprof_u64)Threshold);
    }
  }
};

/// Replicas of 64-bit counters, see GmprofGlobalObject.
struct ReplicaCounters {
  using Counter = gmprof_u64;

  GM_INLINE void add(CounterRange R, gmprof_u64 N) const {
    for (gmprof_u64 At = R.Begin; At != R.End; At += sizeof(Counter))
      addGlobal((Counter *)At, N);
  }
  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const { add(R, N); }
};

/// Highest threshold of packed counters. Values above it mark a counter that has carried, and leave
/// room for more additions until it carries again.
template <class T> constexpr gmprof_u32 MostOfPacked = (T)~0u / 4 * 3 + 3;

/// Repairs a word of packed counters after an addition: counters whose top bit is in Carries have
/// carried into the next one. Sets them to a value above the threshold and takes the carry back
/// from the next counter. A counter above the threshold is not decremented, so no counter that
/// carried can fall below the threshold again, in any order of threads. Not inlined: rare.
template <class T>
__device__ __attribute__((noinline)) static void mendCarries(gmprof_u64 Word, gmprof_u32 Carries) {
  constexpr unsigned Bits = sizeof(T) * 8;
  constexpr gmprof_u32 Max = (T)~0u, Most = MostOfPacked<T>;
  GlobalPointer<gmprof_u32> Cell = globalPointer<gmprof_u32>(Word);
  gmprof_u32 Seen = *Cell, New;
  do {
    New = Seen;
    bool IsNext = false; // the counter before carried
    for (unsigned Shift = 0; Shift != 32; Shift += Bits) {
      gmprof_u32 Value = Seen >> Shift & Max, Mended = Value;
      bool HasCarried = (Carries >> (Shift + Bits - 1) & 1) != 0;
      if (HasCarried)
        Mended = Value > Most ? Value : Most + 1;
      else if (IsNext && Value != 0 && Value <= Most)
        Mended = Value - 1;
      New = (New & ~(Max << Shift)) | Mended << Shift;
      IsNext = HasCarried;
    }
  } while (
      !__atomic_compare_exchange_n(Cell, &Seen, New, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

GM_INLINE gmprof_u32 fetchAdd(gmprof_u64 Word, gmprof_u32 Addend) {
  return __atomic_fetch_add(globalPointer<gmprof_u32>(Word), Addend, __ATOMIC_RELAXED);
}

/// Returns the top bits of the counters that carried when Addend was added to Old. No addend
/// exceeds MostOfPacked, so a counter carries at most once.
template <class T> GM_INLINE gmprof_u32 carries(gmprof_u32 Old, gmprof_u32 Addend) {
  constexpr gmprof_u32 Max = (T)~0u, Tops = ~0u / Max * (Max / 2 + 1);
  return ((Old & Addend) | ((Old | Addend) & ~(Old + Addend))) & Tops;
}

template <class T> GM_INLINE void addToWord(gmprof_u64 Word, gmprof_u32 Addend) {
  if (gmprof_u32 Carries = carries<T>(fetchAdd(Word, Addend), Addend))
    mendCarries<T>(Word, Carries);
}

/// Returns whether all counters selected by Ones (their lowest bits) have reached the threshold.
template <class T> GM_INLINE bool isFull(gmprof_u32 Word, gmprof_u32 Ones, gmprof_u32 Threshold) {
  constexpr unsigned Bits = sizeof(T) * 8;
  bool Full = true;
#pragma unroll
  for (unsigned Shift = 0; Shift != 32; Shift += Bits)
    Full &= (Ones >> Shift & 1) == 0 || (Word >> Shift & (T)~0u) >= Threshold;
  return Full;
}

/// Adds N to counters of a word on behalf of several threads. If many do so, the counters have
/// probably reached the threshold and a load suffices: the loaded value may be stale but never
/// exceeds the current one.
template <class T>
__device__ __attribute__((noinline)) static void
addUnlessFull(gmprof_u32 Threshold, gmprof_u64 Word, gmprof_u32 Ones, gmprof_u32 N) {
  if (!isFull<T>(*globalPointer<gmprof_u32>(Word), Ones, Threshold))
    addToWord<T>(Word, Ones * N);
}

/// Packed counters of type T; see the head of this file.
template <class T> struct PackedCounters {
  using Counter = T;
  gmprof_u32 Threshold;

  GM_INLINE void add(CounterRange R, gmprof_u64 N) const {
    gmprof_u32 Each = (gmprof_u32)minimum(N, (gmprof_u64)Most);
    for (gmprof_u64 At = R.Begin; At != R.End;) {
      Part P(At, R.End);
      if (Each == 1)
        addTo(P, 1);
      else
        addUnlessFull<T>(Threshold, P.Word, P.ones(), Each);
      At += P.Bytes;
    }
  }

  /// Adds N to all counters of several words.
  template <unsigned Number>
  GM_INLINE void addWords(const gmprof_u64 (&Words)[Number], gmprof_u64 N) const {
    gmprof_u32 Addend = Ones * (gmprof_u32)minimum(N, (gmprof_u64)Most);
    gmprof_u32 Seen[Number], Old[Number];
#pragma unroll
    for (unsigned I = 0; I != Number; ++I)
      Seen[I] = *globalPointer<gmprof_u32>(Words[I]);
#pragma unroll
    for (unsigned I = 0; I != Number; ++I)
      Old[I] = isFull<T>(Seen[I], Ones, Threshold) ? 0 : fetchAdd(Words[I], Addend);
#pragma unroll
    for (unsigned I = 0; I != Number; ++I)
      if (gmprof_u32 Carries = carries<T>(Old[I], Addend))
        mendCarries<T>(Words[I], Carries);
  }

  template <bool One> GM_INLINE void addByLanes(CounterRange R, gmprof_u64 N) const {
    gmprof_u32 Each = (gmprof_u32)minimum(N, (gmprof_u64)Most);
    for (gmprof_u64 At = R.Begin; At != R.End;) {
      Part P(At, R.End);
      gmprof_u32 Lanes = activeLanes(), First = firstLane(Lanes);
      // Lanes at different words mostly differ in the lower half of the address.
      gmprof_u32 Together = 1, Low = (gmprof_u32)P.key();
      if (__all_sync(Lanes, __shfl_sync(Lanes, Low, First) == Low) &&
          __all_sync(Lanes, shuffle(Lanes, P.key(), First) == P.key()) &&
          (One || __all_sync(Lanes, __shfl_sync(Lanes, Each, First) == Each)))
        Together = laneCount(Lanes);
      if (Together == 1)
        addTo(P, Each);
      else if (lane() == First)
        addUnlessFull<T>(Threshold, P.Word, P.ones(), minimum(Each * Together, Most));
      At += P.Bytes;
    }
  }

private:
  static constexpr gmprof_u32 Max = (T)~0u, Most = MostOfPacked<T>, Ones = ~0u / Max;

  /// Selected counters of one word.
  struct Part {
    gmprof_u64 Word;
    gmprof_u32 Shift, Bytes;

    GM_INLINE Part(gmprof_u64 At, gmprof_u64 End) {
      gmprof_u32 Offset = (gmprof_u32)At & 3;
      Word = At & ~3ull;
      Shift = Offset * 8;
      Bytes = (gmprof_u32)minimum((gmprof_u64)4 - Offset, End - At);
    }
    /// Returns a number that identifies the word and the part of it.
    GM_INLINE gmprof_u64 key() const { return (Word | Shift / 8) ^ (gmprof_u64)Bytes << 60; }
    GM_INLINE gmprof_u32 ones() const { return Ones & ~0u >> (32 - 8 * Bytes) << Shift; }
  };

  GM_INLINE void addTo(const Part &P, gmprof_u32 N) const { addToWord<T>(P.Word, P.ones() * N); }
};

} // namespace gmprof

#endif // GMPROF_DEVICE_GLOBALCOUNTERS_H
