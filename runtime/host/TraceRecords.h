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

#ifndef GMPROF_HOST_TRACERECORDS_H
#define GMPROF_HOST_TRACERECORDS_H

#include "cache/Request.h"
#include "gmprof/trace.h"
#include <cstddef>
#include <optional>
#include <span>

namespace gmprof::host {

/// How much of a chunk is written, its head included.
size_t traceBytes(std::span<const std::byte> Chunk);

/// Bytes of a record, with what is behind it.
size_t recordBytes(const GmprofTraceRecord &R);

/// Whose records they are.
struct RecordingWarp {
  uint64_t Block;
  uint16_t Warp; ///< of the block
  uint16_t Slot; ///< of the SM
};

/// Who wrote the records that follow, if this is what says so.
std::optional<GmprofTraceWriter> writerIn(const GmprofTraceRecord &R);
RecordingWarp warpOf(const GmprofTraceWriter &W);

/// As the simulator takes it. Site is as the record has it.
cache::Request requestOf(const RecordingWarp &By, const GmprofTraceRecord &R);

} // namespace gmprof::host

#endif // GMPROF_HOST_TRACERECORDS_H
