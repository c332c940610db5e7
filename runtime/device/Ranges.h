//===- Ranges.h - A block's live ranges in shared memory --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout: behind the counters, a mark for each word, then a RangeState for each variable; behind
// the control state, each variable's bounds. Ended ranges are summed up by number of accesses. When
// the block ends, its sums are added to the launch's.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_RANGES_H
#define GMPROF_DEVICE_RANGES_H

#include "SharedCounters.h"

namespace gmprof {

/// Mark of a word: the lowest bits say how the current range began and whether it has ended, the
/// others hold the word's counter at its beginning. Both wrap around at the same count.
struct RangeMark {
  static constexpr gmprof_u32 Moved = 1; ///< the range began with a move
  static constexpr gmprof_u32 Ended = 2; ///< the next store begins another one
  static constexpr gmprof_u32 One = 4;

  static GM_INLINE gmprof_u32 at(gmprof_u32 Count) { return Count * One; }
  /// Returns the accesses since the mark. If threads race, the counter may lag a little behind.
  static GM_INLINE gmprof_u32 accesses(gmprof_u32 Mark, gmprof_u32 Count) {
    const gmprof_u32 Number = Count - Mark / One;
    const gmprof_u32 Low = Number & (~0u / One);
    return Low > ~0u / One / 2 ? 0 : Low;
  }
};

/// State of a variable's live ranges in a block. The last three fields belong to the word that is
/// watched for the launch's log.
struct RangeState {
  gmprof_u64 Accesses; ///< in ranges of the buckets that hold several numbers of accesses
  gmprof_u32 Ranges[GMPROF_RANGE_BUCKETS];
  gmprof_u32 Capped, Max, MinComplemented;
  gmprof_u32 WatchedPlusOne, BeginClock, EndClock;
};
static_assert(sizeof(RangeState) == GMPROF_RANGE_STATE_BYTES);

/// Words of a variable, half open.
struct RangeBounds {
  gmprof_u32 Begin, End;
};
static_assert(sizeof(RangeBounds) == GMPROF_RANGE_BOUNDS_BYTES);

/// Live ranges of the current block.
struct Ranges {
  const GmprofSharedLaunch *Launch;
  SharedAddress Base; ///< address of the counters

  GM_INLINE Ranges(const GmprofSharedLaunch *Launch, SharedAddress Base)
      : Launch(Launch), Base(Base) {}

  /// Returns whether this launch counts live ranges.
  GM_INLINE explicit operator bool() const { return Launch->rangeCount != 0; }

  GM_INLINE SharedPointer<gmprof_u32> mark(gmprof_u32 Word) const {
    return sharedPointer<gmprof_u32>(Base + Launch->rangeOffset + 4 * Word);
  }
  GM_INLINE SharedPointer<RangeState> state(gmprof_u32 Variable) const {
    return sharedPointer<RangeState>(Base + Launch->rangeOffset + 4 * Launch->words +
                                     Variable * (gmprof_u32)sizeof(RangeState));
  }
  GM_INLINE SharedPointer<RangeBounds> bounds(gmprof_u32 Variable) const {
    return sharedPointer<RangeBounds>(Base + Launch->counterBytes +
                                      Variable * (gmprof_u32)sizeof(RangeBounds));
  }
  /// Returns the logical clock in the control state, behind the counter of exits.
  GM_INLINE SharedPointer<gmprof_u32> clock() const {
    return sharedPointer<gmprof_u32>(Base + Launch->counterBytes - 4);
  }

  /// Returns the variable of the word: `Known` if it has ranges, else found by bounds; or
  /// GMPROF_NONE.
  GM_INLINE gmprof_u32 find(gmprof_u32 Known, gmprof_u32 Word) const {
    if (Known != GMPROF_NONE)
      return Known < Launch->rangeCount ? Known : GMPROF_NONE;
    for (gmprof_u32 V = 0; V != Launch->rangeCount; ++V)
      if (Word >= bounds(V)->Begin && Word < bounds(V)->End)
        return V;
    return GMPROF_NONE;
  }

  static GM_INLINE bool isFirstBlock() { return (blockIdx.x | blockIdx.y | blockIdx.z) == 0; }

  /// Advances the logical clock, which only the first block has, for the log.
  GM_INLINE void tick() const {
    if (*this && isFirstBlock() && threadInBlock() == 0)
      ++*clock();
  }

  /// Watches the word that the first thread moves first.
  GM_INLINE void watch(gmprof_u32 Variable, gmprof_u32 Word) const {
    if (isFirstBlock() && threadInBlock() == 0 && state(Variable)->WatchedPlusOne == 0)
      state(Variable)->WatchedPlusOne = Word + 1;
  }
  GM_INLINE bool isWatched(gmprof_u32 Variable, gmprof_u32 Word) const {
    return isFirstBlock() && state(Variable)->WatchedPlusOne == Word + 1;
  }

  /// Ends a word's range when its counter is at Count, and begins another.
  GM_INLINE void restart(gmprof_u32 Variable, gmprof_u32 Word, gmprof_u32 Count, bool Capped,
                         gmprof_u32 Flags) const {
    const gmprof_u32 Mark =
        __atomic_exchange_n(mark(Word), RangeMark::at(Count) | Flags, __ATOMIC_RELAXED);
    const gmprof_u32 Accesses = RangeMark::accesses(Mark, Count);
    if (Accesses != 0)
      close(Variable, Word, Mark, Accesses, Capped);
    if (isWatched(Variable, Word) && (Accesses != 0 || !(Mark & RangeMark::Moved)))
      state(Variable)->BeginClock = *clock();
  }

  GM_INLINE void end(gmprof_u32 Variable, gmprof_u32 Word) const {
    const gmprof_u32 Mark = __atomic_fetch_or(mark(Word), RangeMark::Ended, __ATOMIC_RELAXED);
    if (!(Mark & RangeMark::Ended) && isWatched(Variable, Word))
      state(Variable)->EndClock = *clock();
  }

  /// Adds a range to its variable's sums.
  GM_INLINE void close(gmprof_u32 Variable, gmprof_u32 Word, gmprof_u32 Mark, gmprof_u32 Accesses,
                       bool Capped) const {
    if (isWatched(Variable, Word))
      record(Variable, Word, Mark, Accesses);
    SharedPointer<RangeState> State = state(Variable);
    if (Capped) {
      __atomic_fetch_add(&State->Capped, 1u, __ATOMIC_RELAXED);
      return;
    }
    // The first of the lanes with the same variable and number adds for all.
    const gmprof_u64 Key = (gmprof_u64)Variable << 32 | Accesses;
    const gmprof_u32 Together = __nvvm_match_any_sync_i64(activeLanes(), Key);
    if (lane() != firstLane(Together))
      return;
    const gmprof_u32 Number = laneCount(Together);
    __atomic_fetch_add(&State->Ranges[bucket(Accesses)], Number, __ATOMIC_RELAXED);
    // Buckets of a single number imply their accesses.
    if (Accesses >= SingleBuckets)
      __atomic_fetch_add(&State->Accesses, (gmprof_u64)Number * Accesses, __ATOMIC_RELAXED);
    raise(&State->Max, Accesses);
    raise(&State->MinComplemented, ~Accesses);
  }

  /// Number of buckets that hold a single number of accesses each.
  static constexpr gmprof_u32 SingleBuckets = 8;

  static GM_INLINE gmprof_u32 bucket(gmprof_u32 Accesses) {
    if (Accesses < SingleBuckets)
      return Accesses;
    return minimum(SingleBuckets + (28 - __builtin_clz(Accesses)), GMPROF_RANGE_BUCKETS - 1);
  }

private:
  static GM_INLINE void raise(SharedPointer<gmprof_u32> To, gmprof_u32 Value) {
    if (*To < Value)
      __atomic_fetch_max(To, Value, __ATOMIC_RELAXED);
  }

  GM_INLINE void record(gmprof_u32 Variable, gmprof_u32 Word, gmprof_u32 Mark,
                        gmprof_u32 Accesses) const {
    GmprofRangeLog *Log = (GmprofRangeLog *)Launch->rangeLog;
    const gmprof_u32 Place = addGlobal(&Log->count, 1u);
    if (Place >= GMPROF_RANGE_RECORDS)
      return;
    SharedPointer<RangeState> State = state(Variable);
    const gmprof_u32 End = Mark & RangeMark::Ended ? State->EndClock : *clock();
    Log->records[Place] = {Variable, Word,     State->BeginClock,
                           End,      Accesses, Mark & RangeMark::Moved};
  }
};

} // namespace gmprof

#endif // GMPROF_DEVICE_RANGES_H
