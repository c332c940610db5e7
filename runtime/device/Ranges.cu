//===- Ranges.cu - Hooks that bound live ranges -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Live ranges (GMProf, CCGrid'12, Section V) derived from the existing counters. An access costs
// nothing more; only the moves that bound a range do. Each word has a mark, which holds its counter
// at the beginning of its range; the difference is the number of accesses in the range.
//
//   __gm_range_begin_*  replaces __gm_count_* for a store that moves data in. Ends the
//                       previous range if it had accesses. The store belongs to neither range.
//   __gm_range_end_*    follows the count of a load whose value is moved out. The range ends
//                       with the next store; loads until then belong to it, because the word
//                       still holds the value that was moved out.
//   __gm_range_store_*  replaces __gm_count_* for any other store.
//
// Block.cu closes the ranges that are open when the block ends.
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"

using namespace gmprof;

template <class Counters>
GM_INLINE void begin(const Counters &C, const GmprofSharedLaunch *Launch, gmprof_u32 Variable,
                     SharedAddress Address, gmprof_u32 Words) {
  const Ranges R(Launch, C.Base);
  const gmprof_u32 First = C.word(Address);
  R.tick();
  for (gmprof_u32 Word = First; Word != First + Words; ++Word) {
    const gmprof_u32 V = R.find(Variable, Word);
    if (Word >= C.Words || V == GMPROF_NONE) {
      C.one(Word);
      continue;
    }
    // Several threads may move the same word, or parts of it, concurrently: the first one closes
    // the range, and none of these stores counts as an access.
    const gmprof_u32 Count = C.value(Word);
    R.watch(V, Word);
    R.restart(V, Word, Count, Count >= C.Threshold, RangeMark::Moved);
    if (Count < C.Threshold) {
      C.one(Word);
      __atomic_fetch_add(R.mark(Word), RangeMark::One, __ATOMIC_RELAXED);
    }
  }
}

template <class Counters>
GM_INLINE void store(const Counters &C, const GmprofSharedLaunch *Launch, gmprof_u32 Variable,
                     SharedAddress Address, gmprof_u32 Words) {
  const Ranges R(Launch, C.Base);
  const gmprof_u32 First = C.word(Address);
  for (gmprof_u32 Word = First; Word != First + Words; ++Word) {
    if (R && Word < C.Words && (*R.mark(Word) & RangeMark::Ended)) {
      const gmprof_u32 V = R.find(Variable, Word);
      const gmprof_u32 Count = C.value(Word);
      if (V != GMPROF_NONE)
        R.restart(V, Word, Count, Count >= C.Threshold, 0);
    }
    C.one(Word);
  }
}

template <class Counters>
GM_INLINE void end(const Counters &C, const GmprofSharedLaunch *Launch, gmprof_u32 Variable,
                   SharedAddress Address, gmprof_u32 Words) {
  const Ranges R(Launch, C.Base);
  const gmprof_u32 First = C.word(Address);
  R.tick();
  for (gmprof_u32 Word = First; Word != First + Words; ++Word) {
    const gmprof_u32 V = R.find(Variable, Word);
    if (Word >= C.Words || V == GMPROF_NONE)
      continue;
    R.watch(V, Word);
    R.end(V, Word);
  }
}

#define HOOK(Name, Kind, T, Atomic)                                                                \
  GM_HOOK void __gm_range_##Name##_##Kind(SharedAddress Base, SharedAddress First,                 \
                                          gmprof_u32 Words, gmprof_u32 Threshold,                  \
                                          const GmprofSharedLaunch *Launch, gmprof_u32 Variable,   \
                                          SharedAddress Address, gmprof_u32 Number) {              \
    Name(SharedCounters<T, Atomic>{Base, First, Words, Threshold}, Launch, Variable, Address,      \
         Number);                                                                                  \
  }
#define HOOKS(Kind, T, Atomic)                                                                     \
  HOOK(begin, Kind, T, Atomic)                                                                     \
  HOOK(store, Kind, T, Atomic)                                                                     \
  HOOK(end, Kind, T, Atomic)

HOOKS(u8, gmprof_u8, false)
HOOKS(u16, gmprof_u16, false)
HOOKS(u32, gmprof_u32, false)
HOOKS(u16_atomic, gmprof_u16, true)
HOOKS(u32_atomic, gmprof_u32, true)
