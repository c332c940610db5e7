//===- TraceShape.h - Encoding of a request's addresses ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_TRACESHAPE_H
#define GMPROF_DEVICE_TRACESHAPE_H

#include "Device.h"
#include "gmprof/trace.h"

namespace gmprof {

/// Encoding of a request's addresses.
struct Shape {
  gmprof_u64 Base;
  gmprof_i64 Offset; ///< this lane's distance from Base
  gmprof_i32 Stride;
  gmprof_u32 Flags; ///< GMPROF_TRACE_OFFSETS, GMPROF_TRACE_ADDRESSES, GMPROF_TRACE_ROWS or 0
  gmprof_u32 Bytes; ///< size of the record
  GmprofTraceRows Rows;
};

/// Returns whether all lanes form rows. The first lane outside the first row (NotInRow) begins the
/// second one. Requires 32-bit offsets.
GM_INLINE bool areRows(Shape &S, gmprof_u32 Lanes, gmprof_u32 NotInRow) {
  if (Lanes != ~0u)
    return false;
  const gmprof_u32 Width = firstLane(NotInRow);
  const auto Step = (gmprof_i32)__shfl_sync(Lanes, (gmprof_u32)S.Offset, Width);
  S.Rows = {Step, Width};
  const gmprof_i64 Mine = (gmprof_i64)S.Stride * (gmprof_i32)(lane() & (Width - 1)) +
                          (gmprof_i64)Step * (gmprof_i32)(lane() / Width);
  return (Width & (Width - 1)) == 0 && __all_sync(Lanes, Mine == S.Offset);
}

GM_INLINE Shape shapeOf(gmprof_u32 Lanes, gmprof_u64 Address) {
  Shape S;
  const gmprof_u32 First = firstLane(Lanes), Rest = Lanes & (Lanes - 1);
  S.Base = shuffle(Lanes, Address, First);
  S.Offset = (gmprof_i64)(Address - S.Base);
  const gmprof_u32 Second = Rest ? firstLane(Rest) : First;
  const auto ToSecond = (gmprof_i32)__shfl_sync(Lanes, (gmprof_u32)S.Offset, Second);
  const auto Distance = (gmprof_i32)(Second - First);
  S.Stride = Distance > 1 ? ToSecond / Distance : ToSecond;
  const auto Mine = (gmprof_i64)S.Stride * (gmprof_i32)(lane() - First);
  const gmprof_u32 NotInRow = __ballot_sync(Lanes, Mine != S.Offset);
  gmprof_u32 Behind = 0;
  S.Flags = 0;
  if (NotInRow != 0) {
    const bool Near = __all_sync(Lanes, S.Offset == (gmprof_i32)S.Offset);
    if (Near && areRows(S, Lanes, NotInRow)) {
      S.Flags = GMPROF_TRACE_ROWS;
      Behind = sizeof(GmprofTraceRows);
    } else {
      S.Flags = Near ? GMPROF_TRACE_OFFSETS : GMPROF_TRACE_ADDRESSES;
      Behind = laneCount(Lanes) * (Near ? sizeof(gmprof_i32) : sizeof(gmprof_u64));
    }
  }
  S.Bytes = sizeof(GmprofTraceRecord) + (Behind + 7) / 8 * 8;
  return S;
}

} // namespace gmprof

#endif // GMPROF_DEVICE_TRACESHAPE_H
