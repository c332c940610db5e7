//===- Heat.cu - Hooks of heat maps ---------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heat maps (cuThermo, 2025, Section IV). cuThermo sends every address to the host, which sets a
// bit for the warp in masks of the word and of the sector. GMProf keeps the masks in device memory
// and sends nothing. The program's kernel does not set them either: each lane stores its address in
// a column of its own, which nothing waits for, and __gm_heat_note, a kernel that runs afterwards
// on the whole device, processes the stored requests. In that kernel, the lanes of a request
// determine together which of their addresses are equal, and one lane for each word sets the bit,
// if it is clear. A warp without room for a request processes it at once.
//
// Sectors and wavefronts of a request depend on all its addresses together, so all lanes that were
// converged at an access call its hook, with the mask of those that executed it. A recorded access
// has 1, 2, 4, 8 or 16 bytes and is aligned to its size, as in hardware; the pass splits others. In
// most requests addresses rise or fall from lane to lane, so that equal ones are neighbours;
// otherwise match.any finds them.
//
//===----------------------------------------------------------------------===//

#include "HeatChunks.h"
#include "HeatNote.h"
#include "Pieces.h"

using namespace gmprof;

/// Returns whether the launch records this block.
GM_HOOK bool __gm_heat_block_is_noted(const GmprofHeatLaunch *Launch) {
  return isOneOf(Launch, linearBlock());
}

/// Returns whether this thread writes the layout of shared memory: the first one of the first
/// recorded block.
GM_HOOK bool __gm_heat_writes_layout(const GmprofHeatLaunch *Launch) {
  return linearBlock() == Launch->first && threadInBlock() == 0;
}

/// Registers a block; called by all threads of a recorded block.
GM_HOOK void __gm_enter_heat(const GmprofHeatContext *C, GmprofRequestCursor *Cursor) {
  Cursor->last = Nowhere;
  Cursor->lanes = 0;
  if (threadInBlock() != 0)
    return;
  auto *Totals = (GmprofHeatTotals *)C->totals;
  addGlobal(&Totals->blocks, 1ull);
  addGlobal(&Totals->threads, (gmprof_u64)threadsOfBlock());
}

/// Processes a request at once, then reconverges its lanes.
GM_HELPER void __gm_heat_global_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                    gmprof_u64 Address) {
  noteAccess(C, thisWarp(), 0, Lanes, {What}, /*IsShared=*/false, Address);
  __syncwarp(Lanes);
}

GM_HELPER void __gm_heat_shared_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                    gmprof_u32 What, gmprof_u32 Address) {
  noteAccess(C, thisWarp(), First, Lanes, {What}, /*IsShared=*/true, Address);
  __syncwarp(Lanes);
}

/// Counts an access to another block's shared memory.
GM_HOOK void __gm_heat_other_block(const GmprofHeatContext *C, bool IsMade) {
  if (IsMade)
    addGlobal(&((GmprofHeatTotals *)C->totals)->otherBlocks, 1ull);
}

/// Processes contiguous accesses of Length bytes per lane at once.
GM_HELPER void __gm_heat_global_range(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                      gmprof_u64 Address, gmprof_u64 Length) {
  eachPiece(Lanes, Address, Length, Access{What}.bytes(),
            [=](gmprof_u32 Here, gmprof_u64 At) { __gm_heat_global_now(Here, C, What, At); });
}

GM_HELPER void __gm_heat_shared_range(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                      gmprof_u32 First, gmprof_u32 What, gmprof_u32 Address,
                                      gmprof_u64 Length) {
  eachPiece(Lanes, Address, Length, Access{What}.bytes(), [=](gmprof_u32 Here, gmprof_u32 At) {
    __gm_heat_shared_now(Here, C, First, What, At);
  });
}

/// Processes a tile's rows, which the warp accesses together, at once.
GM_HELPER void __gm_heat_global_tile(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                     gmprof_u64 Address, gmprof_u32 Rows, gmprof_u32 RowBytes,
                                     gmprof_u32 Stride, gmprof_u32 LanesOfRow, gmprof_u32 RowStep) {
  eachPieceOfTile(Lanes, Address, Tile{Rows, RowBytes, Stride, LanesOfRow, RowStep},
                  Access{What}.bytes(),
                  [=](gmprof_u32 Here, gmprof_u64 At) { __gm_heat_global_now(Here, C, What, At); });
}

GM_HELPER void __gm_heat_shared_tile(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                     gmprof_u32 What, gmprof_u32 Address, gmprof_u32 Rows,
                                     gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u32 LanesOfRow,
                                     gmprof_u32 RowStep) {
  eachPieceOfTile(
      Lanes, Address, Tile{Rows, RowBytes, Stride, LanesOfRow, RowStep}, Access{What}.bytes(),
      [=](gmprof_u32 Here, gmprof_u32 At) { __gm_heat_shared_now(Here, C, First, What, At); });
}
