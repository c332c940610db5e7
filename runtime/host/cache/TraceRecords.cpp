//===- TraceRecords.cpp - What K__gm_cache writes -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceRecords.h"
#include <algorithm>
#include <array>
#include <cstring>

namespace gmprof::host {

// Both sides name the same things in the same order.
static_assert(static_cast<int>(cache::AccessKind::Load) == GMPROF_TRACE_LOAD &&
              static_cast<int>(cache::AccessKind::Store) == GMPROF_TRACE_STORE &&
              static_cast<int>(cache::AccessKind::Atomic) == GMPROF_TRACE_ATOMIC &&
              static_cast<int>(cache::AccessKind::Reduction) == GMPROF_TRACE_REDUCTION &&
              static_cast<int>(cache::AccessKind::LocalLoad) == GMPROF_TRACE_LOCAL_LOAD &&
              static_cast<int>(cache::AccessKind::LocalStore) == GMPROF_TRACE_LOCAL_STORE &&
              static_cast<int>(cache::AccessKind::AsyncCopy) == GMPROF_TRACE_ASYNC_COPY);
static_assert(static_cast<int>(cache::CacheOperator::Ca) == GMPROF_TRACE_CA &&
              static_cast<int>(cache::CacheOperator::Cg) == GMPROF_TRACE_CG &&
              static_cast<int>(cache::CacheOperator::Cs) == GMPROF_TRACE_CS &&
              static_cast<int>(cache::CacheOperator::Lu) == GMPROF_TRACE_LU &&
              static_cast<int>(cache::CacheOperator::Cv) == GMPROF_TRACE_CV &&
              static_cast<int>(cache::CacheOperator::Nc) == GMPROF_TRACE_NC &&
              static_cast<int>(cache::CacheOperator::Bulk) == GMPROF_TRACE_BULK &&
              static_cast<int>(cache::CacheOperator::Fence) == GMPROF_TRACE_FENCE);

/// Returns the bytes before the zeros at the end, and those of a record, as the last one may
/// end in zeros. Going from record to record, each of which says where the next one is, would wait
/// for memory at each.
size_t traceBytes(std::span<const std::byte> Chunk) {
  constexpr size_t Line = 64, MostOfRecord = sizeof(GmprofTraceRecord) + 32 * sizeof(gmprof_u64);
  constexpr std::array<std::byte, Line> Zeros = {};
  size_t End = Chunk.size();
  while (End >= sizeof(GmprofTraceChunk) + Line &&
         std::memcmp(Chunk.data() + End - Line, Zeros.data(), Line) == 0)
    End -= Line;
  return std::min(End + MostOfRecord, Chunk.size());
}

RecordingWarp warpOf(const GmprofTraceWriter &W) {
  return {W.block, static_cast<uint16_t>(W.what), static_cast<uint16_t>(W.slot - 1)};
}

cache::Request requestOf(const RecordingWarp &By, const GmprofTraceRecord &R) {
  cache::Request To;
  To.Site = R.what & GMPROF_SITE_MASK;
  To.Block = By.Block;
  To.Warp = By.Warp;
  To.Slot = By.Slot;
  To.Kind =
      static_cast<cache::AccessKind>(R.what >> GMPROF_TRACE_KIND_SHIFT & GMPROF_TRACE_KIND_MASK);
  To.Operator = static_cast<cache::CacheOperator>(R.what >> GMPROF_TRACE_OPERATOR_SHIFT &
                                                  GMPROF_TRACE_OPERATOR_MASK);
  To.Size =
      static_cast<uint8_t>(1U << (R.what >> GMPROF_TRACE_BYTES_SHIFT & GMPROF_TRACE_BYTES_MASK));
  To.Mask = R.lanes;
  const bool InRows = isInRows(R);
  if (InRows || (R.what & (GMPROF_TRACE_OFFSETS | GMPROF_TRACE_ADDRESSES)) == 0) {
    To.Affine = true;
    To.Stride = R.stride;
    if (InRows) {
      const auto &Rows = *reinterpret_cast<const GmprofTraceRows *>(&R + 1);
      To.RowLanes = static_cast<uint8_t>(Rows.width);
      To.Step = Rows.step;
    }
    To.Addresses[0] = R.base - To.offset(static_cast<unsigned>(std::countr_zero(R.lanes)));
    return To;
  }
  if (R.what & GMPROF_TRACE_OFFSETS) {
    const auto *Next = reinterpret_cast<const gmprof_i32 *>(&R + 1);
    cache::eachLane(R.lanes, [&](unsigned Lane) {
      To.Addresses[Lane] = R.base + static_cast<uint64_t>(int64_t(*Next++));
    });
  } else {
    const auto *Next = reinterpret_cast<const gmprof_u64 *>(&R + 1);
    cache::eachLane(R.lanes, [&](unsigned Lane) { To.Addresses[Lane] = *Next++; });
  }
  return To;
}

} // namespace gmprof::host
