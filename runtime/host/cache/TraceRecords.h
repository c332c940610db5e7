//===- TraceRecords.h - What K__gm_cache writes -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads chunks of records (struct GmprofTraceChunk, GmprofTraceRecord).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_TRACERECORDS_H
#define GMPROF_HOST_CACHE_TRACERECORDS_H

#include "cache/Request.h"
#include "gmprof/trace.h"
#include <bit>
#include <cstddef>
#include <optional>
#include <span>

namespace gmprof::host {

/// Returns the bytes of a chunk that hold its head and all of its records, and possibly some zeros.
size_t traceBytes(std::span<const std::byte> Chunk);

inline bool isInRows(const GmprofTraceRecord &R) {
  return (R.what & GMPROF_TRACE_ROWS) == GMPROF_TRACE_ROWS;
}

/// Bytes of a record, with what is behind it.
inline size_t recordBytes(const GmprofTraceRecord &R) {
  if ((R.what & GMPROF_TRACE_ROWS) == 0)
    return sizeof(R);
  const auto Lanes = static_cast<size_t>(std::popcount(R.lanes));
  const size_t Behind = isInRows(R)                     ? sizeof(GmprofTraceRows)
                        : R.what & GMPROF_TRACE_OFFSETS ? Lanes * sizeof(gmprof_i32)
                                                        : Lanes * sizeof(gmprof_u64);
  return sizeof(R) + (Behind + 7) / 8 * 8;
}

/// Whose records they are.
struct RecordingWarp {
  uint64_t Block;
  uint16_t Warp; ///< of the block
  uint16_t Slot; ///< of the SM
};

/// Returns the writer of the records that follow, if R names one.
inline std::optional<GmprofTraceWriter> writerIn(const GmprofTraceRecord &R) {
  static_assert(sizeof(GmprofTraceWriter) == sizeof(R));
  if ((R.what >> GMPROF_TRACE_KIND_SHIFT & GMPROF_TRACE_KIND_MASK) != GMPROF_TRACE_WRITER)
    return std::nullopt;
  return std::bit_cast<GmprofTraceWriter>(R);
}
RecordingWarp warpOf(const GmprofTraceWriter &W);

/// Returns the request as the simulator takes it, with the record's site.
cache::Request requestOf(const RecordingWarp &By, const GmprofTraceRecord &R);

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_TRACERECORDS_H
