//===- TestTraceChunk.h - Chunks as K__gm_cache writes them -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_TESTTRACECHUNK_H
#define GMPROF_TEST_UNIT_HOST_TESTTRACECHUNK_H

#include "gmprof/trace.h"
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

namespace gmprof::test {

/// Grows as records are added.
struct TraceChunk {
  std::vector<std::byte> Bytes;

  explicit TraceChunk(const GmprofTraceChunk &Head) { append(&Head, sizeof(Head)); }

  /// Appends a record in which lane l accesses 4 bytes at Base + (l - first lane) * Stride.
  TraceChunk &affine(gmprof_u32 Site, gmprof_u32 Clock, gmprof_u64 Base, gmprof_i32 Stride = 4,
                     gmprof_u32 Lanes = ~0U) {
    return record({Lanes, what(Site), Clock, Stride, Base});
  }
  template <typename Number>
  TraceChunk &scattered(gmprof_u32 Site, gmprof_u32 Clock, gmprof_u64 Base, gmprof_u32 Lanes,
                        const std::vector<Number> &Each) {
    record({Lanes,
            what(Site) | (sizeof(Number) == 4 ? GMPROF_TRACE_OFFSETS : GMPROF_TRACE_ADDRESSES),
            Clock, 0, Base});
    append(Each.data(), Each.size() * sizeof(Number));
    Bytes.resize((Bytes.size() + 7) / 8 * 8);
    return *this;
  }
  TraceChunk &rows(gmprof_u32 Site, gmprof_u32 Clock, gmprof_u64 Base, gmprof_i32 Stride,
                   const GmprofTraceRows &Rows) {
    record({~0U, what(Site) | GMPROF_TRACE_ROWS, Clock, Stride, Base});
    append(&Rows, sizeof(Rows));
    return *this;
  }
  TraceChunk &record(const GmprofTraceRecord &R) {
    append(&R, sizeof(R));
    return *this;
  }

  /// Sets the writer of the records that follow.
  TraceChunk &writer(gmprof_u32 Warp, gmprof_u64 Block, gmprof_u64 Clock, gmprof_u32 Slot) {
    const GmprofTraceWriter W = {Slot + 1, Warp | GMPROF_TRACE_WRITER << GMPROF_TRACE_KIND_SHIFT,
                                 Clock, Block};
    append(&W, sizeof(W));
    return *this;
  }

  /// Describes a load of 4 bytes.
  static gmprof_u32 what(gmprof_u32 Site) { return Site | 2U << GMPROF_TRACE_BYTES_SHIFT; }

private:
  void append(const void *From, size_t Size) {
    const size_t At = Bytes.size();
    Bytes.resize(At + Size);
    std::memcpy(Bytes.data() + At, From, Size);
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_HOST_TESTTRACECHUNK_H
