//===- Ranges.cu - The hooks that bound live ranges -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V), with the counters that are there anyway. An
// access costs nothing more; only the moves do, which bound a range: each word has
// a mark, what its counter was when its range began, so that the difference is the
// number of accesses in the range.
//
//   __gm_range_begin_*  a store that moves data in, in place of __gm_count_*. The
//                       range before it ends, if there were accesses in it. The
//                       store itself belongs to neither.
//   __gm_range_end_*    after a load has been counted whose value is moved out: the
//                       range ends with the next store. Until then the word still
//                       holds what was moved out, and loads belong to the range.
//   __gm_range_store_*  any other store, in place of __gm_count_*.
//
// The range that is open when the block ends is closed by Block.cu.
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
    // Several threads may move the same word, or parts of it, at the same time: in
    // any order, the first closes the range, and none counts as an access.
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
