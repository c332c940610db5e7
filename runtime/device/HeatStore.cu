//===- HeatStore.cu - Stores requests for later processing ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hooks that store requests; __gm_heat_note (HeatKernels.cu) processes them when the launch has
// ended.
//
//===----------------------------------------------------------------------===//

#include "HeatChunks.h"
#include "HeatNote.h"

using namespace gmprof;

namespace {

/// Takes Count consecutive chunks for this warp. Returns the number of the first; chunkLimit: not
/// enough are left.
GM_INLINE gmprof_u32 takeChunks(const GmprofHeatContext *C, gmprof_u32 Lanes, gmprof_u32 Count) {
  gmprof_u32 First = 0;
  if (lane() == firstLane(Lanes)) {
    auto *Used = &((GmprofHeatTotals *)C->totals)->chunksUsed;
    First = look(globalPointer<gmprof_u32>((gmprof_u64)Used));
    if (First < C->chunkLimit)
      First = addGlobal(Used, Count);
  }
  __syncwarp(Lanes);
  First = __shfl_sync(Lanes, First, firstLane(Lanes));
  const Origin From = thisWarp();
  const gmprof_u64 Block = (From.Block - C->firstBlock) / C->blockStep;
  const gmprof_u32 End = minimum(First + Count, C->chunkLimit);
  for (gmprof_u32 I = First + laneRank(Lanes); I < End; I += laneCount(Lanes)) {
    const auto Head = chunkAt(C, I);
    Head[0].address = Block * C->warpsPerBlock + From.Warp;
    Head[1].address = (gmprof_u64)Count << 32 | (End - 1 - I);
  }
  return End - First < Count ? C->chunkLimit : First;
}

/// Returns whether Lanes share one chunk, given that this holds for each of them: lanes that took
/// their chunk together share it.
GM_INLINE bool areInOneChunk(gmprof_u32 Lanes, gmprof_u32 TookTogether) {
  return (Lanes & ~TookTogether) == 0;
}

/// Returns whether all of Lanes share a chunk with room for Rows more rows in each column.
GM_INLINE bool haveRoom(const GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 Rows) {
  const bool InOneChunk = areInOneChunk(Lanes, Cursor->lanes),
             InColumn = rowOf(Cursor->last) + Rows <= LastRow;
  return __all_sync(Lanes, InOneChunk & InColumn);
}

/// Returns the number of chunks to take after a batch of `Batch`: few stay unused, and large
/// batches are rarely waited for.
GM_INLINE gmprof_u32 nextBatch(gmprof_u32 Batch) {
  constexpr gmprof_u32 Most = 16;
  return minimum(Batch + Batch / 2 + 1, Most);
}

/// Returns the position before this lane's first request in a chunk.
GM_INLINE gmprof_u64 columnOf(const GmprofHeatContext *C, gmprof_u32 Chunk) {
  return C->requests + (gmprof_u64)Chunk * GMPROF_REQUEST_CHUNK_BYTES +
         lane() * sizeof(GmprofRequest);
}

/// Stores a row for later processing.
GM_INLINE void leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                     gmprof_u64 Address) {
  Cursor->last += GMPROF_REQUEST_ROW_BYTES;
  *globalPointer<TwoNumbers>(Cursor->last) = {Address, (gmprof_u64)What << 32 | Lanes};
}

/// Returns, for each lane, the position before its first request in the next chunk of these lanes,
/// or in a new one; Nowhere if none is left.
GM_INLINE gmprof_u64 nextChunk(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u64 Last,
                               gmprof_u32 TookTogether) {
  const gmprof_u64 Taken = Last == Nowhere ? 0 : chunkOf(Last)[1].address;
  const bool HasNext = areInOneChunk(Lanes, TookTogether) & ((gmprof_u32)Taken != 0);
  gmprof_u64 Next = Last - Last % GMPROF_REQUEST_CHUNK_BYTES + GMPROF_REQUEST_CHUNK_BYTES +
                    lane() * sizeof(GmprofRequest);
  if (!__all_sync(Lanes, HasNext)) {
    const gmprof_u32 Batch = nextBatch((gmprof_u32)(Taken >> 32));
    const gmprof_u32 Number = takeChunks(C, Lanes, __shfl_sync(Lanes, Batch, firstLane(Lanes)));
    Next = Number < C->chunkLimit ? columnOf(C, Number) : Nowhere;
  }
  __syncwarp(Lanes);
  return Next;
}

} // namespace

/// Marks the chunk's long loops for processing by all blocks of the note kernel.
GM_HELPER void __gm_heat_share_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                     gmprof_u64 Last) {
  const auto Chunk = chunkOf(Last);
  gmprof_u32 Known = 0; // not zero if an earlier loop of this chunk has done it
  if (lane() == firstLane(Lanes) &&
      __atomic_compare_exchange_n(&Chunk->lanes, &Known, GMPROF_CHUNK_HAS_LOOPS, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    auto *Totals = (GmprofHeatTotals *)C->totals;
    const gmprof_u32 Place = addGlobal(&Totals->sharedChunks, 1u);
    if (Place < GMPROF_SHARED_CHUNKS) {
      Totals->sharedChunk[Place] =
          (gmprof_u32)(((gmprof_u64)Chunk - C->requests) / GMPROF_REQUEST_CHUNK_BYTES);
      Chunk->lanes = GMPROF_CHUNK_IS_SHARED;
    }
  }
  __syncwarp(Lanes);
}

namespace {

/// Rows that each of some lanes has in memory of its own. A lane takes no part in the rows whose
/// lanes are none.
struct RowsOfLane {
  const TwoNumbers *Rows;
  gmprof_u32 Count;

  /// Returns the request of a row.
  GM_INLINE GmprofRequest request(gmprof_u32 Row) const {
    const TwoNumbers R = Rows[Row];
    return {R.x, (gmprof_u32)R.y, (gmprof_u32)(R.y >> 32)};
  }
  /// Returns the loop of a row; of a row that is none, the loop of one iteration.
  GM_INLINE LoopOfRequests loop(gmprof_u32 Row, bool IsLoop) const {
    if (!IsLoop)
      return {1, 0, GMPROF_ALL_ITERATIONS};
    const TwoNumbers R = Rows[Row + 1];
    return {R.x, (gmprof_i32)(R.y >> 32), (gmprof_u32)R.y};
  }
};

/// Processes rows at once.
template <bool MayBeShared>
GM_INLINE void processRows(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                           RowsOfLane Mine) {
  for (gmprof_u32 Row = 0; Row != Mine.Count; ++Row) {
    const GmprofRequest R = Mine.request(Row);
    const bool IsLoop = R.what & GMPROF_REQUEST_IS_LOOP;
    if (R.lanes != 0)
      noteLoop<MayBeShared>(C, thisWarp(), First, R, Mine.loop(Row, IsLoop), {0, 1});
    __syncwarp(Lanes);
    Row += IsLoop;
  }
}

/// Stores rows behind Last. Returns the position of the lane's last row.
GM_INLINE gmprof_u64 storeRows(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u64 Last,
                               RowsOfLane Mine, gmprof_u32 Longest) {
  for (gmprof_u32 Row = 0; Row != Mine.Count; ++Row) {
    const GmprofRequest R = Mine.request(Row);
    const bool IsLoop = R.what & GMPROF_REQUEST_IS_LOOP;
    if (R.lanes != 0) {
      *globalPointer<TwoNumbers>(Last += GMPROF_REQUEST_ROW_BYTES) = Mine.Rows[Row];
      if (IsLoop) {
        *globalPointer<TwoNumbers>(Last += GMPROF_REQUEST_ROW_BYTES) = Mine.Rows[Row + 1];
        if (__any_sync(R.lanes, Mine.loop(Row, IsLoop).times() > Longest))
          __gm_heat_share_chunk(R.lanes, C, Last);
      }
    }
    __syncwarp(Lanes);
    Row += IsLoop;
  }
  return Last;
}

template <bool MayBeShared>
GM_INLINE gmprof_u64 storeOrProcess(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                    gmprof_u64 Last, gmprof_u32 TookTogether, RowsOfLane Mine,
                                    gmprof_u32 Longest) {
  Last = nextChunk(Lanes, C, Last, TookTogether);
  if (Last != Nowhere)
    return storeRows(Lanes, C, Last, Mine, Longest);
  processRows<MayBeShared>(Lanes, C, First, Mine);
  return Nowhere;
}

} // namespace

/// Stores rows in the next chunk, or processes them at once if there is none. Longest: as of
/// __gm_heat_share_loop. Returns the position of the lane's last row, or Nowhere.
GM_HELPER gmprof_u64 __gm_heat_next_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                          gmprof_u32 First, gmprof_u64 Last,
                                          gmprof_u32 TookTogether, const gmprof_u64 *Rows,
                                          gmprof_u32 Count, gmprof_u32 Longest) {
  return storeOrProcess<true>(Lanes, C, First, Last, TookTogether,
                              {(const TwoNumbers *)Rows, Count}, Longest);
}

/// Does the same for rows that are all of global memory, in a clone without others: ptxas takes
/// half the time.
GM_HELPER gmprof_u64 __gm_heat_next_global_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                                 gmprof_u64 Last, gmprof_u32 TookTogether,
                                                 const gmprof_u64 *Rows, gmprof_u32 Count,
                                                 gmprof_u32 Longest) {
  return storeOrProcess<false>(Lanes, C, 0, Last, TookTogether, {(const TwoNumbers *)Rows, Count},
                               Longest);
}

/// Returns whether the active lanes have room for Rows rows, which they store next.
GM_HOOK bool __gm_heat_has_room(gmprof_u32 Lanes, const GmprofRequestCursor *Cursor,
                                gmprof_u32 Rows) {
  return haveRoom(Cursor, Lanes, Rows);
}

/// Stores Count rows, for which there is no room, in the next chunk.
GM_HOOK void __gm_heat_leave_rows(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                  GmprofRequestCursor *Cursor, gmprof_u32 First,
                                  const gmprof_u64 *Rows, gmprof_u32 Count, gmprof_u32 Longest) {
  Cursor->last =
      __gm_heat_next_chunk(Lanes, C, First, Cursor->last, Cursor->lanes, Rows, Count, Longest);
  Cursor->lanes = Lanes;
}

GM_HOOK void __gm_heat_leave_global_rows(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                         GmprofRequestCursor *Cursor, const gmprof_u64 *Rows,
                                         gmprof_u32 Count, gmprof_u32 Longest) {
  Cursor->last =
      __gm_heat_next_global_chunk(Lanes, C, Cursor->last, Cursor->lanes, Rows, Count, Longest);
  Cursor->lanes = Lanes;
}

/// Stores an access of each active lane for later processing.
GM_HOOK void __gm_heat_leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                             gmprof_u64 Address) {
  leave(Cursor, Lanes, What, Address);
}

/// Stores the accesses of a loop that each active lane enters, in two rows: one access per
/// iteration, the first at Address, each further one Stride bytes on; of the first 32 iterations
/// only those in Made. Also stores several adjacent accesses.
GM_HOOK void __gm_heat_leave_loop(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                                  gmprof_u64 Address, gmprof_u64 TimesAndStep, gmprof_i32 Stride,
                                  gmprof_u32 Made) {
  leave(Cursor, Lanes, What | GMPROF_REQUEST_IS_LOOP, Address);
  leave(Cursor, Made, (gmprof_u32)Stride, TimesAndStep);
}

/// Marks a loop of more than Longest iterations for processing by all blocks of the note kernel.
/// Called after __gm_heat_leave_loop.
GM_HOOK void __gm_heat_share_loop(const GmprofHeatContext *C, const GmprofRequestCursor *Cursor,
                                  gmprof_u32 Lanes, gmprof_u64 TimesAndStep, gmprof_u32 Longest) {
  if (__any_sync(Lanes, LoopOfRequests{TimesAndStep, 0, 0}.times() > Longest))
    __gm_heat_share_chunk(Lanes, C, Cursor->last);
}
