//===- trace.h - State shared by the trace hooks and the host -----*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures of the cache profile that only the trace hooks (runtime/device/Trace.cu) and the host
// runtime share, beyond those of abi.h.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TRACE_H
#define GMPROF_TRACE_H

#include "gmprof/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Queue of chunks between a device and the host. A lane that fills a chunk writes the chunk's
/// number plus one at the same position of two rings: one that the host reads and one in device
/// memory. The host empties chunks in ring order and publishes only how many it has emptied: their
/// numbers are already in the device's ring, where they count as free again. Each ring has room for
/// all chunks.
struct GmprofTraceChannel {
  gmprof_u64 chunks; ///< page-locked, aligned to their size
  gmprof_u64 full; ///< gmprof_u32 [chunkCount], page-locked; entry i is at i % chunkCount; 0: none
  gmprof_u64 host; ///< struct GmprofTraceHost, page-locked
  gmprof_u64 abandoned; ///< gmprof_u32 [chunkCount], page-locked; see GmprofTraceHost::abandoned
  /// gmprof_u32 [chunkCount], device memory: number of times the chunk was taken or left; the
  /// lowest GMPROF_TRACE_PART_BITS bits hold the position in the chunk at which its current lanes
  /// began to write.
  gmprof_u64 takers;
  /// gmprof_u32 [chunkCount], device memory: entry i is the i-th chunk to become free, initially
  /// all chunks in order; 0: taken. The i-th full chunk is entry chunkCount + i.
  gmprof_u64 numbers;
  gmprof_u32 chunkCount;
  gmprof_u32 looking;   ///< 1: a lane is reading GmprofTraceHost
  gmprof_u64 freed;     ///< `freed` of the host at the last read
  gmprof_u64 taken;     ///< entries taken
  gmprof_i64 available; ///< free entries not yet claimed
  gmprof_u64 given;     ///< full chunks handed to the host
  gmprof_u64 idle;      ///< `idle` of the host at the last read
  gmprof_u64 takenBack; ///< abandoned chunks taken back
};
/// Progress that the host publishes to kernels.
struct GmprofTraceHost {
  gmprof_u64 freed; ///< entries that are, or were, free
  gmprof_u64 idle;  ///< number of scans in which the host found no full chunk
  /// Chunks that the host emptied although no lane handed them over, because their lanes exited in
  /// ways that the pass does not see. The lane that reads this field hands them over as empty.
  gmprof_u64 abandoned;
};
/// Number of consecutive idle scans of the host after which a kernel stops waiting for a free
/// chunk. By then no open chunk is left and all others are held by lanes that wait as well.
#define GMPROF_TRACE_IDLE_LOOKS 100u

/// Limits of a launch, in records of the smallest size: addresses behind a record count as further
/// records, and a struct GmprofTraceWriter counts as one. A new block is recorded while the launch
/// has recorded less than the GMPROF_TRACE_BEGIN_PART-th part of `most` and all launches together
/// less than `mostOfRun`, or while the launch has recorded less than `least`. Blocks that have
/// begun are recorded up to `most`.
#define GMPROF_TRACE_BEGIN_PART 4u
struct GmprofTraceLimits {
  gmprof_u64 least, most, mostOfRun;
  gmprof_u64 ofRun; ///< address of a gmprof_u64 in device memory: records of all launches
};

/// Counters of a launch, initially zero.
struct GmprofTraceProgress {
  gmprof_u64 recorded;
  gmprof_u64 begun;  ///< one more than the largest recorded block number; see GMPROF_TRACE_CLOSED
  gmprof_u64 blocks; ///< recorded blocks
  gmprof_u64 blocksBeyond;   ///< blocks that began after the limit and are not recorded
  gmprof_u64 requestsBeyond; ///< requests of recorded blocks made after the limit
  gmprof_u64 ended;          ///< threads of recorded blocks that have exited
};
/// Bit of `begun` that stops the recording of further blocks. Number and bit share one word, so all
/// warps of a block take the same decision.
#define GMPROF_TRACE_CLOSED (1ull << 63)

/// Open chunks: chunks that their lanes left before they were full. Lanes at the same place of the
/// SM, also those of another warp, continue in them instead of taking a new chunk. A place is %smid
/// * GMPROF_TRACE_WARPS_OF_SM + %warpid.
#define GMPROF_TRACE_WARPS_OF_SM 64u
#define GMPROF_TRACE_OPEN_OF_PLACE 2u
/// Encoding of an open chunk: its number and, in the lowest GMPROF_TRACE_PART_BITS bits, the
/// position at which it continues, in units of GMPROF_TRACE_PART bytes; 0: none.
#define GMPROF_TRACE_PART 8u
#define GMPROF_TRACE_PART_BITS 8u
struct GmprofOpenChunks {
  gmprof_u64 entries; ///< address of gmprof_u32 [places][GMPROF_TRACE_OPEN_OF_PLACE]
  gmprof_u32 places;
  gmprof_u32 swept; ///< entries inspected by lanes that wait for a chunk
};

/// Combination of both flags in a record's `what`: the lanes form rows of `width`, and lane l
/// accesses base + l % width * stride + l / width * step. Typical of blocks with less than 32
/// threads in x.
#define GMPROF_TRACE_ROWS (GMPROF_TRACE_OFFSETS | GMPROF_TRACE_ADDRESSES)
struct GmprofTraceRows { ///< follows the record
  gmprof_i32 step;
  gmprof_u32 width; ///< 2, 4, 8 or 16
};

/// Writer of the records that follow; stored in place of a record, with kind GMPROF_TRACE_WRITER.
/// The first records of a chunk belong to the writer in the chunk's head.
struct GmprofTraceWriter {
  gmprof_u32 slot; ///< %warpid + 1
  gmprof_u32 what; ///< number of the warp in its block, and the kind
  gmprof_u64 clock;
  gmprof_u64 block;
};
#define GMPROF_TRACE_WRITER 7u

/// Object that GmprofTraceLaunch::context points to.
struct GmprofLimitedTrace {
  struct GmprofTraceContext context;
  struct GmprofTraceLimits limits;
  struct GmprofTraceProgress progress;
  struct GmprofOpenChunks open;
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GMPROF_TRACE_H
