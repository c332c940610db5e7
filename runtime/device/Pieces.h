//===- Pieces.h - Wide accesses, taken apart --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, sets and tiles of matrices as the requests that they are made of. What the lanes of a
// matrix instruction access differs between architectures; this is what they access together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_PIECES_H
#define GMPROF_DEVICE_PIECES_H

#include "Device.h"

namespace gmprof {

/// Calls Note(lanes that are there, address) for each Bytes bytes of Length: of Lanes, those that
/// still have something, together.
template <class Number, class Function>
GM_INLINE void eachPiece(gmprof_u32 Lanes, Number Address, gmprof_u64 Length, gmprof_u32 Bytes,
                         Function Note) {
  for (gmprof_u64 At = 0;; At += Bytes) {
    const gmprof_u32 Here = __ballot_sync(Lanes, At < Length);
    if (Here == 0)
      break;
    if (At < Length)
      Note(Here, Address + (Number)At);
  }
  __syncwarp(Lanes);
}

/// The same of rows, of which each lane has some.
template <class Number, class Function>
GM_INLINE void eachPieceOfTile(gmprof_u32 Lanes, Number Address, gmprof_u32 Rows,
                               gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u32 Bytes,
                               Function Note) {
  for (gmprof_u32 First = 0; First < Rows; First += warpSize) {
    const gmprof_u32 Row = First + lane();
    eachPiece(Lanes, Address + (Number)Row * Stride, Row < Rows ? RowBytes : 0, Bytes, Note);
  }
}

/// Of a row of a tile.
GM_INLINE gmprof_u32 pieceOf(gmprof_u32 RowBytes) {
  const gmprof_u32 Lowest = RowBytes & -RowBytes;
  return Lowest < 16 ? Lowest : 16;
}

} // namespace gmprof

#endif // GMPROF_DEVICE_PIECES_H
