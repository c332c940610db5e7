//===- Block.cu - Hooks at a block's entry and exit -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a block are together at the kernel's entry, so the counters can be zeroed there
// before a barrier. They are not together at the exit: no thread may wait for one that exited
// early. Threads that exit together add themselves to a shared counter of exits, and those that
// complete the block's number of threads flush the counters (last-out flush).
//
// Control state, behind the counters: bytes 0-7 hold the spare counter of accesses outside the
// counted words; bytes 8-11 the counter of exits and, in its upper 20 bits, the time at which the
// block began; bytes 12-15 the logical clock of live ranges (Ranges.h). The state of live ranges is
// between the spare counter and the counter of exits, and is zeroed with the counters.
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"

using namespace gmprof;

/// Returns whether this block's accesses are counted. All threads ask, so the common case, a power
/// of two, avoids the division.
GM_HOOK bool __gm_block_is_counted(gmprof_u32 Sample) {
  gmprof_u32 Mask = Sample - 1;
  return (Sample & Mask) == 0 ? (blockInGrid() & Mask) == 0 : blockInGrid() % Sample == 0;
}

/// Returns whether this block counts in kernels whose blocks all have equal counts
/// (pass/shared/AlikeBlocks.h).
GM_HOOK bool __gm_block_is_first() { return (blockIdx.x | blockIdx.y | blockIdx.z) == 0; }
GM_HOOK gmprof_u64 __gm_blocks_of_grid() { return (gmprof_u64)gridDim.x * gridDim.y * gridDim.z; }

/// Returns whether this thread writes the launch's layout of shared memory.
GM_HOOK bool __gm_thread_writes_layout() {
  return (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}

GM_HOOK bool __gm_thread_is_first() { return (threadIdx.x | threadIdx.y | threadIdx.z) == 0; }

GM_HOOK gmprof_u32 __gm_threads_of_block() { return threadsOfBlock(); }

GM_HOOK bool __gm_lane_is_below(gmprof_u32 Lane) { return lane() < Lane; }

/// Returns the replica that this block adds to; counted blocks take them in turn.
GM_INLINE gmprof_u32 replicaOfBlock(const GmprofSharedLaunch *Launch) {
  return blockInGrid() / Launch->blockSample & (Launch->replicas - 1);
}

/// Returns the sums that this block adds to.
GM_HOOK gmprof_u64 *__gm_sums_of_block(const GmprofSharedLaunch *Launch) {
  return (gmprof_u64 *)Launch->sums + (gmprof_u64)replicaOfBlock(Launch) * Launch->words;
}

/// Adds this block to the totals, on behalf of `Blocks` blocks: 1, or all.
GM_INLINE void countBlock(const GmprofSharedLaunch *Launch, gmprof_u64 Blocks) {
  GmprofBlockTotals *Totals = (GmprofBlockTotals *)Launch->totals + replicaOfBlock(Launch);
  addGlobal(&Totals->blocks, Blocks);
  addGlobal(&Totals->threads, Blocks * threadsOfBlock());
}

/// Returns the word that holds the counter of exits and the block's start time.
GM_INLINE SharedPointer<gmprof_u32> exits(const GmprofSharedLaunch *Launch, SharedAddress Base) {
  return sharedPointer<gmprof_u32>(Base + Launch->counterBytes - GMPROF_SHARED_CONTROL_BYTES + 8);
}
constexpr gmprof_u32 ExitBits = 12, ExitMask = (1u << ExitBits) - 1;

GM_INLINE gmprof_u32 timeOfBlock() {
  return (gmprof_u32)(clock64() >> GMPROF_BLOCK_TIME_SHIFT) << ExitBits;
}

/// Zeroes the counters and waits for the block.
GM_HOOK void __gm_enter_shared(const GmprofSharedLaunch *Launch, SharedAddress Base) {
  gmprof_u32 Step = threadsOfBlock() * 16;
  for (gmprof_u32 Byte = threadInBlock() * 16; Byte < Launch->counterBytes; Byte += Step) {
    using Vector = gmprof_u32 __attribute__((ext_vector_type(4)));
    gmprof_u32 Exits =
        Byte + GMPROF_SHARED_CONTROL_BYTES == Launch->counterBytes ? timeOfBlock() : 0;
    *sharedPointer<Vector>(Base + Byte) = Vector{0, 0, Exits, 0};
  }
  __syncthreads();
}

/// Registers a block whose counters are in device memory.
GM_HOOK void __gm_enter_device(const GmprofSharedLaunch *Launch, gmprof_u64 Blocks) {
  if (threadInBlock() == 0)
    countBlock(Launch, Blocks);
}

/// Adds the block's counters to the launch's, by `Threads` threads of which this one is number
/// `Rank`. Consecutive threads take consecutive words, so their additions to device memory
/// coalesce.
template <class T>
GM_INLINE void flush(const GmprofSharedLaunch *Launch, SharedAddress Base, gmprof_u32 Threshold,
                     gmprof_u64 Blocks, gmprof_u32 Rank, gmprof_u32 Threads) {
  gmprof_u32 Words = Launch->words;
  gmprof_u64 Replica = (gmprof_u64)replicaOfBlock(Launch) * Words;
  gmprof_u64 *Sums = (gmprof_u64 *)Launch->sums + Replica;
  gmprof_u32 *Capped = (gmprof_u32 *)Launch->capped + Replica;
  gmprof_u32 Time = (timeOfBlock() - (*exits(Launch, Base) & ~ExitMask)) >> ExitBits;
  bool Wrapped = sizeof(T) == 4 && Time >= Launch->longBlock;
#pragma unroll 4
  for (gmprof_u32 Word = Rank; Word < Words; Word += Threads) {
    gmprof_u32 Count = *sharedPointer<T>(Base + Word * (gmprof_u32)sizeof(T));
    if (Count == 0)
      continue;
    addGlobal(Sums + Word, Blocks * minimum(Count, Threshold));
    if (Count >= Threshold || Wrapped)
      addGlobal(Capped + Word, (gmprof_u32)Blocks);
  }
  if (Rank != 0)
    return;
  countBlock(Launch, Blocks);
  GmprofSharedLayout *Layout = (GmprofSharedLayout *)Launch->layout;
  if (gmprof_u32 Lost = *sharedPointer<T>(Base + Words * (gmprof_u32)sizeof(T)))
    addGlobal(&Layout->lost, Blocks * Lost);
}

/// Ends the open live ranges and adds all of the block's ranges to the launch's. Executed by the
/// lanes `Warp` of a warp or, if that is 0, by the block.
template <class T>
GM_INLINE void flushRanges(const GmprofSharedLaunch *Launch, SharedAddress Base,
                           gmprof_u32 Threshold, gmprof_u64 Blocks, gmprof_u32 Rank,
                           gmprof_u32 Threads, gmprof_u32 Warp) {
  const Ranges R(Launch, Base);
  if (!R)
    return;
  for (gmprof_u32 V = 0; V != Launch->rangeCount; ++V) {
    const gmprof_u32 End = minimum(R.bounds(V)->End, Launch->words);
    for (gmprof_u32 Word = R.bounds(V)->Begin + Rank; Word < End; Word += Threads) {
      const gmprof_u32 Mark = *R.mark(Word);
      const gmprof_u32 Count = *sharedPointer<T>(Base + Word * (gmprof_u32)sizeof(T));
      const gmprof_u32 Accesses = RangeMark::accesses(Mark, Count);
      if (Accesses != 0 || (Mark & RangeMark::Moved))
        R.close(V, Word, Mark, Accesses, Count >= Threshold);
    }
  }
  if (Warp)
    __syncwarp(Warp);
  else
    __syncthreads();
  GmprofRangeCounts *To =
      (GmprofRangeCounts *)Launch->ranges + (gmprof_u64)replicaOfBlock(Launch) * Launch->rangeCount;
  constexpr gmprof_u32 Parts = GMPROF_RANGE_BUCKETS + 2;
  for (gmprof_u32 I = Rank; I < Launch->rangeCount * Parts; I += Threads) {
    const gmprof_u32 V = I / Parts, Part = I % Parts;
    SharedPointer<RangeState> State = R.state(V);
    if (Part < GMPROF_RANGE_BUCKETS) {
      if (gmprof_u64 Number = Blocks * State->Ranges[Part]) {
        addGlobal(&To[V].ranges[Part], Number);
        if (Part < Ranges::SingleBuckets)
          addGlobal(&To[V].accesses, Number * Part);
      }
    } else if (Part == GMPROF_RANGE_BUCKETS) {
      if (State->Capped)
        addGlobal(&To[V].capped, Blocks * State->Capped);
      if (State->Accesses)
        addGlobal(&To[V].accesses, Blocks * State->Accesses);
    } else {
      raiseGlobal(&To[V].max, State->Max);
      raiseGlobal(&To[V].minComplemented, State->MinComplemented);
    }
  }
}

/// Counts exits; the last threads to exit flush the block's counters.
template <class T, bool WithRanges>
GM_INLINE void leave(const GmprofSharedLaunch *Launch, SharedAddress Base, gmprof_u32 Threshold,
                     gmprof_u64 Blocks) {
  __threadfence_block();
  gmprof_u32 Lanes = activeLanes();
  gmprof_u32 Before = 0;
  if (lane() == firstLane(Lanes))
    Before = __atomic_fetch_add(exits(Launch, Base), laneCount(Lanes), __ATOMIC_RELAXED);
  Before = __shfl_sync(Lanes, Before, firstLane(Lanes));
  if ((Before & ExitMask) + laneCount(Lanes) != threadsOfBlock())
    return;
  __threadfence_block();
  if constexpr (WithRanges)
    flushRanges<T>(Launch, Base, Threshold, Blocks, laneRank(Lanes), laneCount(Lanes), Lanes);
  flush<T>(Launch, Base, Threshold, Blocks, laneRank(Lanes), laneCount(Lanes));
}

/// Flushes the counters in kernels whose threads provably all reach the same exit.
template <class T, bool WithRanges>
GM_INLINE void leaveTogether(const GmprofSharedLaunch *Launch, SharedAddress Base,
                             gmprof_u32 Threshold, gmprof_u64 Blocks) {
  __syncthreads();
  if constexpr (WithRanges)
    flushRanges<T>(Launch, Base, Threshold, Blocks, threadInBlock(), threadsOfBlock(), 0);
  flush<T>(Launch, Base, Threshold, Blocks, threadInBlock(), threadsOfBlock());
}

#define LEAVE_HOOK(Name, Leave, Counter, WithRanges)                                               \
  GM_HOOK void __gm_##Name(const GmprofSharedLaunch *Launch, SharedAddress Base,                   \
                           gmprof_u32 Threshold, gmprof_u64 Blocks) {                              \
    Leave<Counter, WithRanges>(Launch, Base, Threshold, Blocks);                                   \
  }
#define LEAVE_HOOKS(T, Counter)                                                                    \
  LEAVE_HOOK(leave_##T, leave, Counter, false)                                                     \
  LEAVE_HOOK(leave_together_##T, leaveTogether, Counter, false)                                    \
  LEAVE_HOOK(leave_ranges_##T, leave, Counter, true)                                               \
  LEAVE_HOOK(leave_ranges_together_##T, leaveTogether, Counter, true)

LEAVE_HOOKS(u8, gmprof_u8)
LEAVE_HOOKS(u16, gmprof_u16)
LEAVE_HOOKS(u32, gmprof_u32)
