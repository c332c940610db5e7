//===- Trace.cu - Hooks that record requests ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records one request of a warp per record (von Buelow et al., 2022, Section 4.1), with the SM's
// clock, which lets the host sort an SM's requests into issue order. Records go to chunks of
// page-locked memory (struct GmprofTraceChunk, TraceChunks.h).
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "TraceChunks.h"
#include "TraceShape.h"

using namespace gmprof;

namespace {

/// Returns the cursor at which converged lanes continue, in a chunk with room for Bytes.
/// AreTogether: they made the previous request together, too.
GM_INLINE GmprofTraceCursor goOn(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                                 const GmprofTraceCursor &Cursor, gmprof_u32 Bytes) {
  if (AreTogether && hasRoom(Cursor.next, Bytes))
    return Cursor;
  // Orders what the lanes have written before the chunk is left.
  __syncwarp(Lanes);
  if (Cursor.next != 0)
    leaveChunk(C, Cursor);
  __syncwarp(Lanes);
  GmprofTraceCursor New = {0, 0, 0};
  if (lane() == firstLane(Lanes))
    New = takeChunk(C, Bytes);
  __syncwarp(Lanes);
  const gmprof_u32 From = firstLane(Lanes);
  return {shuffle(Lanes, New.next, From), Lanes, __shfl_sync(Lanes, New.taker, From)};
}

/// Writes a record: the first lanes write a word each, which makes one store to the host instead of
/// several. Of: the lanes that make the request.
GM_INLINE void write(gmprof_u64 To, gmprof_u32 Lanes, gmprof_u32 What, gmprof_u32 Of,
                     const Shape &S) {
  constexpr gmprof_u32 Parts = sizeof(GmprofTraceRecord) / sizeof(gmprof_u64);
  static_assert(Parts == 3);
  const gmprof_u32 Rank = laneRank(Lanes), Clock = (gmprof_u32)__nvvm_read_ptx_sreg_clock64();
  for (gmprof_u32 Part = Rank; Part < Parts; Part += laneCount(Lanes)) {
    const gmprof_u64 Heads = (gmprof_u64)(What | S.Flags) << 32 | Of;
    const gmprof_u64 Times = (gmprof_u64)(gmprof_u32)S.Stride << 32 | Clock;
    globalPointer<gmprof_u64>(To)[Part] = Part == 0 ? Heads : Part == 1 ? Times : S.Base;
  }
  const gmprof_u64 Behind = To + sizeof(GmprofTraceRecord);
  if (S.Flags == GMPROF_TRACE_ROWS) {
    if (Rank == 0)
      *globalPointer<GmprofTraceRows>(Behind) = S.Rows;
  } else if (S.Flags & GMPROF_TRACE_OFFSETS)
    globalPointer<gmprof_i32>(Behind)[Rank] = (gmprof_i32)S.Offset;
  else if (S.Flags & GMPROF_TRACE_ADDRESSES)
    globalPointer<gmprof_u64>(Behind)[Rank] = S.Base + (gmprof_u64)S.Offset;
}

/// Returns whether the block with this number, from 1, is recorded. All of its warps get the same
/// answer.
GM_INLINE bool beginBlock(GmprofTraceContext *C, gmprof_u64 Number) {
  const auto Begun = globalPointer<gmprof_u64>((gmprof_u64)&progressOf(C)->begun);
  gmprof_u64 Before = look(progressOf(C)->begun);
  if (Before < Number) {
    const bool Closes = !mayBegin(C);
    Before = Closes ? __atomic_fetch_or(Begun, GMPROF_TRACE_CLOSED, __ATOMIC_RELAXED)
                    : __atomic_fetch_max(Begun, Number, __ATOMIC_RELAXED);
    if (Closes)
      Before |= GMPROF_TRACE_CLOSED;
  }
  return (Before & GMPROF_TRACE_CLOSED) == 0 || Number <= (Before & ~GMPROF_TRACE_CLOSED);
}

/// Counts a request that is made after the limit.
GM_INLINE void passOver(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor) {
  if (!isStopped(*Cursor)) {
    if (Cursor->next != 0)
      leaveChunk(C, *Cursor);
    *Cursor = Stopped;
  }
  if (lane() == firstLane(Lanes))
    ++Cursor->taker;
}

/// Returns whether these lanes continue in a chunk that they hold together.
GM_INLINE bool areTogether(gmprof_u32 Lanes, const GmprofTraceCursor &Cursor) {
  return __all_sync(Lanes, Cursor.next != 0 && Cursor.lanes == Lanes);
}

/// Returns whether the request is made after the limit; counts it if so.
GM_INLINE bool isPassedOver(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                            GmprofTraceCursor *Cursor) {
  if (AreTogether || !__any_sync(Lanes, isStopped(*Cursor)))
    return false;
  passOver(Lanes, C, Cursor);
  return true;
}

GM_INLINE void record(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                      GmprofTraceCursor *Cursor, gmprof_u32 What, gmprof_u32 Of, const Shape &S) {
  GmprofTraceCursor At = goOn(Lanes, AreTogether, C, *Cursor, S.Bytes);
  if (At.next != 0) {
    write(At.next, Lanes, What, Of, S);
    At.next += S.Bytes;
  } else if (lane() == firstLane(Lanes)) {
    if (isStopped(At))
      ++At.taker;
    else
      addGlobal(&C->totals.lost, 1ull);
  }
  *Cursor = At;
  // Lanes that arrived together continue together for the next access.
  __syncwarp(Lanes);
}

/// Records a request of the lanes `Of`, Stride apart, by `Lanes`.
GM_INLINE void recordEven(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                          gmprof_u32 What, gmprof_u32 Of, gmprof_u64 Base, gmprof_i32 Stride) {
  const bool AreTogether = areTogether(Lanes, *Cursor);
  if (isPassedOver(Lanes, AreTogether, C, Cursor))
    return;
  Shape S = {};
  S.Base = Base;
  S.Stride = Stride;
  S.Bytes = sizeof(GmprofTraceRecord);
  record(Lanes, AreTogether, C, Cursor, What, Of, S);
}

/// Bytes per lane of a bulk copy's requests.
constexpr gmprof_u32 BulkPiece = 16;

GM_INLINE gmprof_u32 firstLanes(gmprof_u64 Count) {
  return Count >= warpSize ? ~0u : (1u << (gmprof_u32)Count) - 1;
}

} // namespace

/// Returns whether the block is recorded. Called by all threads of a block that the options select.
GM_HELPER bool __gm_trace_begin_block(GmprofTraceContext *C) {
  const gmprof_u32 Lanes = activeLanes();
  bool IsRecorded = false;
  if (lane() == firstLane(Lanes))
    IsRecorded = beginBlock(C, linearBlock() + 1);
  IsRecorded = __any_sync(Lanes, IsRecorded);
  if (threadInBlock() == 0)
    addGlobal(IsRecorded ? &progressOf(C)->blocks : &progressOf(C)->blocksBeyond, 1ull);
  return IsRecorded;
}

/// Returns whether the requests of this block are recorded.
GM_HOOK bool __gm_trace_block_is_recorded(const GmprofTraceLaunch *Launch) {
  return isOneOf(Launch, linearBlock()) && __nvvm_read_ptx_sreg_smid() % Launch->smStep == 0 &&
         __gm_trace_begin_block((GmprofTraceContext *)Launch->context);
}

/// Initialises the cursor. Called by all threads of a recorded block.
GM_HOOK void __gm_enter_trace(GmprofTraceCursor *Cursor) { *Cursor = {0, 0, 0}; }

/// Records an access of each active lane.
GM_HELPER void __gm_trace(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                          gmprof_u32 What, gmprof_u64 Address) {
  const bool AreTogether = areTogether(Lanes, *Cursor);
  if (!isPassedOver(Lanes, AreTogether, C, Cursor))
    record(Lanes, AreTogether, C, Cursor, What, Lanes, shapeOf(Lanes, Address));
}

/// Records contiguous accesses of Length bytes per lane.
GM_HELPER void __gm_trace_range(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                                gmprof_u32 What, gmprof_u64 Address, gmprof_u64 Length) {
  const gmprof_u32 Bytes = 1u << (What >> GMPROF_TRACE_BYTES_SHIFT & GMPROF_TRACE_BYTES_MASK);
  eachPiece(Lanes, Address, Length, Bytes,
            [=](gmprof_u32 Here, gmprof_u64 At) { __gm_trace(Here, C, Cursor, What, At); });
}

/// Records bulk copies of lanes, one after the other, as requests of whole warps. Addresses and
/// lengths are multiples of 16. What: an access of 16 bytes per lane.
GM_HELPER void __gm_trace_bulk(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                               gmprof_u32 What, gmprof_u64 Address, gmprof_u64 Length) {
  for (gmprof_u32 Left = Lanes; Left != 0; Left &= Left - 1) {
    const gmprof_u64 First = shuffle(Lanes, Address, firstLane(Left));
    const gmprof_u64 Pieces = shuffle(Lanes, Length, firstLane(Left)) / BulkPiece;
    for (gmprof_u64 Piece = 0; Piece < Pieces; Piece += warpSize)
      recordEven(Lanes, C, Cursor, What, firstLanes(Pieces - Piece), First + Piece * BulkPiece,
                 BulkPiece);
  }
}

/// Records a fence, which invalidates the SM's L1.
GM_HELPER void __gm_trace_fence(gmprof_u32 Lanes, GmprofTraceContext *C,
                                GmprofTraceCursor *Cursor) {
  recordEven(Lanes, C, Cursor,
             GMPROF_SITE_UNKNOWN | GMPROF_TRACE_FENCE << GMPROF_TRACE_OPERATOR_SHIFT, Lanes,
             /*Base=*/0, /*Stride=*/0);
}

/// Records a tile's rows, which the warp accesses together.
GM_HELPER void __gm_trace_tile(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                               gmprof_u32 What, gmprof_u64 Address, gmprof_u32 Rows,
                               gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u32 LanesOfRow,
                               gmprof_u32 RowStep) {
  const gmprof_u32 Bytes = 1u << (What >> GMPROF_TRACE_BYTES_SHIFT & GMPROF_TRACE_BYTES_MASK);
  eachPieceOfTile(Lanes, Address, Tile{Rows, RowBytes, Stride, LanesOfRow, RowStep}, Bytes,
                  [=](gmprof_u32 Here, gmprof_u64 At) { __gm_trace(Here, C, Cursor, What, At); });
}

/// Leaves the chunk when the thread exits.
GM_HELPER void __gm_trace_leave(GmprofTraceContext *C, GmprofTraceCursor *Cursor) {
  if (Cursor->next != 0)
    leaveChunk(C, *Cursor);
  else if (Cursor->taker > 1)
    addGlobal(&progressOf(C)->requestsBeyond, (gmprof_u64)Cursor->taker - 1);
  closeLast(C);
  endThreads(C);
  *Cursor = {0, 0, 0};
}
