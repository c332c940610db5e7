//===- RequestOrder.h - In which order an SM issued requests ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU's records have their SM's clock, and are sorted by it. The CPU device runs blocks one after
// the other, on any core. There, what an SM would do is worked out: it holds as many blocks as fit,
// takes the next one of its own where one has ended, and its warps issue in turn, a request
// each (loose round robin, as schedulers of simulated GPUs do), but for what they wait for: what a
// warp does behind a barrier comes after all that others of its block do before it. That order is
// the same in each run. So are the places that warps have in their SM, by which local memory lies.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_REQUESTORDER_H
#define GMPROF_HOST_CACHE_REQUESTORDER_H

#include "host/cache/TraceRecords.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gmprof::host {

/// A record in the memory of its chunk.
struct PlacedRecord {
  uint64_t Clock; ///< of the SM
  RecordingWarp By;
  const GmprofTraceRecord *Record;
};
using PlacedRecords = std::vector<PlacedRecord>;

/// Appends all records of a chunk, up to the end of what is written.
void appendRecords(std::span<const std::byte> Chunk, PlacedRecords &To);

/// Buffers of orderByClock(), for reuse.
struct OrderMemory {
  std::vector<uint64_t> Keys, OtherKeys;
  PlacedRecords Records;
};
/// Sorts the records of an SM by clock; equal ones keep their order.
void orderByClock(PlacedRecords &Records, OrderMemory &Memory);

/// Orders records as if the warps of up to Resident blocks (at least 1) took turns, and assigns
/// slots to the warps.
void orderByTurns(PlacedRecords &Records, uint32_t Resident, uint32_t WarpsOfBlock);

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_REQUESTORDER_H
