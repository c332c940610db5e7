//===- Pieces.h - Decomposition of wide accesses ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits copies, sets and matrix tiles into the requests that they consist of. The bytes that each
// lane of a matrix instruction accesses differ between architectures; the bytes that the warp
// accesses do not.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_PIECES_H
#define GMPROF_DEVICE_PIECES_H

#include "Device.h"

namespace gmprof {

/// Calls Note(active lanes, address) for each `Bytes` bytes of `Length`, in the lanes of `Lanes`
/// that have bytes left.
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

/// Calls Note for each piece of a tile's rows; row r belongs to lane r % warpSize.
template <class Number, class Function>
GM_INLINE void eachPieceOfTile(gmprof_u32 Lanes, Number Address, gmprof_u32 Rows,
                               gmprof_u32 RowBytes, gmprof_u32 Stride, gmprof_u32 Bytes,
                               Function Note) {
  for (gmprof_u32 First = 0; First < Rows; First += warpSize) {
    const gmprof_u32 Row = First + lane();
    eachPiece(Lanes, Address + (Number)Row * Stride, Row < Rows ? RowBytes : 0, Bytes, Note);
  }
}

/// Returns the size of the pieces that a tile's row is split into.
GM_INLINE gmprof_u32 pieceOf(gmprof_u32 RowBytes) {
  const gmprof_u32 Lowest = RowBytes & -RowBytes;
  return Lowest < 16 ? Lowest : 16;
}

} // namespace gmprof

#endif // GMPROF_DEVICE_PIECES_H
