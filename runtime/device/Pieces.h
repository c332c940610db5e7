//===- Pieces.h - Decomposition of wide accesses ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits copies, sets and matrix tiles into the requests that they consist of.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_PIECES_H
#define GMPROF_DEVICE_PIECES_H

#include "Device.h"

namespace gmprof {

/// Calls Note(active lanes, address) for each `Step` bytes of `Length`, in the lanes of `Lanes`
/// that have bytes left.
template <class Number, class Function>
GM_INLINE void eachPiece(gmprof_u32 Lanes, Number Address, gmprof_u64 Length, gmprof_u32 Step,
                         Function Note) {
  for (gmprof_u64 At = 0;; At += Step) {
    const gmprof_u32 Here = __ballot_sync(Lanes, At < Length);
    if (Here == 0)
      break;
    if (At < Length)
      Note(Here, Address + (Number)At);
  }
  __syncwarp(Lanes);
}

/// The rows of a tile, and how lanes share them (static-analysis/Accesses.h, TileLanes).
struct Tile {
  gmprof_u32 Rows, RowBytes, Stride, LanesOfRow, RowStep;
};

/// Calls Note for each `Bytes` bytes of a tile's rows.
template <class Number, class Function>
GM_INLINE void eachPieceOfTile(gmprof_u32 Lanes, Number Address, const Tile &T, gmprof_u32 Bytes,
                               Function Note) {
  const gmprof_u32 Column = lane() % T.LanesOfRow * Bytes;
  const gmprof_u32 RowsAtOnce = warpSize / T.LanesOfRow * T.RowStep;
  for (gmprof_u32 First = 0; First < T.Rows; First += RowsAtOnce)
    for (gmprof_u32 Next = 0; Next < T.RowStep; ++Next) {
      const gmprof_u32 Row = First + Next + lane() / T.LanesOfRow * T.RowStep;
      eachPiece(Lanes, Address + (Number)Row * T.Stride + Column,
                Row < T.Rows && Column < T.RowBytes ? T.RowBytes - Column : 0, T.LanesOfRow * Bytes,
                Note);
    }
}

} // namespace gmprof

#endif // GMPROF_DEVICE_PIECES_H
