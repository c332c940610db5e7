//===- trace.h - How much of a launch is traced -----------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the hooks that record requests (runtime/device/Trace.cu) and the host runtime share beyond
// abi.h, and nothing else sees.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TRACE_H
#define GMPROF_TRACE_H

#include "gmprof/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The way of chunks between a device and the host. The number of a full one, plus one, is put into
/// two rings at the same place: one that the host reads, and one in device memory. The host empties
/// chunks in that order, and says only how many it has: they are free again, and their numbers are
/// in the device's ring already. Each ring has room for all chunks.
struct GmprofTraceChannel {
  gmprof_u64 chunks; ///< page-locked, aligned to their size
  gmprof_u64 full; ///< gmprof_u32 [chunkCount], page-locked; entry i is at i % chunkCount; 0: none
  gmprof_u64 host; ///< struct GmprofTraceHost, page-locked
  gmprof_u64 abandoned; ///< gmprof_u32 [chunkCount], page-locked; see GmprofTraceHost::abandoned
  /// gmprof_u32 [chunkCount], device memory: how often a chunk was taken or left, and in the lowest
  /// GMPROF_TRACE_PART_BITS bits where in it those that have it began to write.
  gmprof_u64 takers;
  /// gmprof_u32 [chunkCount], device memory: entry i is the i-th one that becomes free, at first
  /// all in their order; 0: taken. The i-th full one is entry chunkCount + i.
  gmprof_u64 numbers;
  gmprof_u32 chunkCount;
  gmprof_u32 looking;   ///< 1: a lane looks at what the host says
  gmprof_u64 freed;     ///< entries that were free when it was last looked at
  gmprof_u64 taken;     ///< entries
  gmprof_i64 available; ///< free entries that may be taken
  gmprof_u64 given;     ///< full ones
  gmprof_u64 idle;      ///< of the host, when it was last looked at
  gmprof_u64 takenBack; ///< abandoned ones
};
/// What the host says to kernels.
struct GmprofTraceHost {
  gmprof_u64 freed; ///< entries that are, or were, free
  gmprof_u64 idle;  ///< how often the host has looked and found no full chunk
  /// Chunks that it has emptied though nobody gave them, as their lanes have ended in ways that the
  /// pass does not see. Who looks gives them, empty.
  gmprof_u64 abandoned;
};
/// Kernels wait for a free chunk as long as the host finds full ones. That it looked so often in
/// vain means that no open chunk is left, and that all others are held by lanes that wait as well.
#define GMPROF_TRACE_IDLE_LOOKS 100u

/// What is recorded is counted in records of the smallest size: addresses behind one count as more,
/// and so does who writes them (struct GmprofTraceWriter), as one.
/// Blocks begin to be recorded as long as the launch has not recorded the
/// GMPROF_TRACE_BEGIN_PART-th part of `most`, nor all launches together `mostOfRun`; or less than
/// `least` of this one is. Blocks that have begun are recorded up to `most`.
#define GMPROF_TRACE_BEGIN_PART 4u
struct GmprofTraceLimits {
  gmprof_u64 least, most, mostOfRun;
  gmprof_u64 ofRun; ///< address of a gmprof_u64 in device memory: recorded by all launches
};

/// Zero at first.
struct GmprofTraceProgress {
  gmprof_u64 recorded;
  gmprof_u64 begun;          ///< see GMPROF_TRACE_CLOSED
  gmprof_u64 blocks;         ///< that are recorded
  gmprof_u64 blocksBeyond;   ///< that began after the limit, and are not
  gmprof_u64 requestsBeyond; ///< of recorded blocks, that were made after it
  gmprof_u64 ended;          ///< threads of recorded blocks
};
/// `begun` is one more than the largest number of a block that is recorded. With this bit no
/// further one is: so all warps of a block find the same there.
#define GMPROF_TRACE_CLOSED (1ull << 63)

/// Chunks that their lanes have left with room in them are open: lanes that come to the same place
/// of the SM go on in them, those of another warp as well, and need not ask for a chunk. A place
/// is %smid * GMPROF_TRACE_WARPS_OF_SM + %warpid.
#define GMPROF_TRACE_WARPS_OF_SM 64u
#define GMPROF_TRACE_OPEN_OF_PLACE 2u
/// An entry is a chunk's number and, in its lowest GMPROF_TRACE_PART_BITS bits, where it goes on,
/// in units of GMPROF_TRACE_PART bytes; 0: none.
#define GMPROF_TRACE_PART 8u
#define GMPROF_TRACE_PART_BITS 8u
struct GmprofOpenChunks {
  gmprof_u64 entries; ///< address of gmprof_u32 [places][GMPROF_TRACE_OPEN_OF_PLACE]
  gmprof_u32 places;
  gmprof_u32 swept; ///< entries that were looked at by lanes that wait for a chunk
};

/// Both flags of a record's `what`, of all lanes: they are in rows of `width`, and lane l accesses
/// base + l % width * stride + l / width * step, as where blocks have less than 32 threads in x.
#define GMPROF_TRACE_ROWS (GMPROF_TRACE_OFFSETS | GMPROF_TRACE_ADDRESSES)
struct GmprofTraceRows { ///< behind the record
  gmprof_i32 step;
  gmprof_u32 width; ///< 2, 4, 8 or 16
};

/// Who wrote the records that follow, in the place of a record whose kind is GMPROF_TRACE_WRITER.
/// Of the first ones of a chunk its head says so.
struct GmprofTraceWriter {
  gmprof_u32 slot; ///< %warpid + 1
  gmprof_u32 what; ///< the warp of the block, and the kind
  gmprof_u64 clock;
  gmprof_u64 block;
};
#define GMPROF_TRACE_WRITER 7u

/// What GmprofTraceLaunch::context points to.
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
