//===- HeatChunks.h - Chunks of stored requests -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses in the chunks that warps store requests in (HeatStore.cu) and __gm_heat_note reads
// (HeatKernels.cu).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_HEATCHUNKS_H
#define GMPROF_DEVICE_HEATCHUNKS_H

#include "Device.h"

namespace gmprof {

constexpr gmprof_u64 Nowhere = ~(gmprof_u64)0;

constexpr gmprof_u32 LastRow = GMPROF_REQUEST_CHUNK_ROWS - 1;

/// Returns the row of a request in its chunk; Nowhere maps to the last row. Relies on the chunks'
/// alignment.
GM_INLINE gmprof_u32 rowOf(gmprof_u64 Request) {
  return (gmprof_u32)Request % GMPROF_REQUEST_CHUNK_BYTES / GMPROF_REQUEST_ROW_BYTES;
}

GM_INLINE GlobalPointer<GmprofRequest> chunkOf(gmprof_u64 Request) {
  return globalPointer<GmprofRequest>(Request - Request % GMPROF_REQUEST_CHUNK_BYTES);
}

GM_INLINE GlobalPointer<GmprofRequest> chunkAt(const GmprofHeatContext *C, gmprof_u32 Number) {
  return globalPointer<GmprofRequest>(C->requests +
                                      (gmprof_u64)Number * GMPROF_REQUEST_CHUNK_BYTES);
}

using TwoNumbers = gmprof_u64 __attribute__((ext_vector_type(2)));
static_assert(sizeof(TwoNumbers) == sizeof(GmprofRequest));

} // namespace gmprof

#endif // GMPROF_DEVICE_HEATCHUNKS_H
