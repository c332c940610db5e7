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
#include "gmprof/abi.h"
#include <cstddef>
#include <span>

namespace gmprof::host {

/// How much of a chunk is written, its head included.
size_t traceBytes(std::span<const std::byte> Chunk);

/// Bytes of a record, with what is behind it.
size_t recordBytes(const GmprofTraceRecord &R);

/// As the simulator takes it. Site is as the record has it.
cache::Request requestOf(const GmprofTraceChunk &Of, const GmprofTraceRecord &R);

} // namespace gmprof::host

#endif // GMPROF_HOST_TRACERECORDS_H
