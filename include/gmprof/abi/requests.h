//===- requests.h - Requests that K__gm_heat leaves ---------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_REQUESTS_H
#define GMPROF_ABI_REQUESTS_H

#include "gmprof/abi/sites.h"
#include "gmprof/abi/types.h"

/// Encoding of a request's instruction in one number: the fields below and GMPROF_SITE_MASK. A
/// request is the accesses of one instruction by lanes that execute it together.
#define GMPROF_REQUEST_PLACE_SHIFT 16u ///< see GmprofHeatPage::places
#define GMPROF_REQUEST_PLACE_MASK 63u
#define GMPROF_REQUEST_KIND_SHIFT 22u ///< GMPROF_COUNTER_*
#define GMPROF_REQUEST_KIND_MASK 3u
#define GMPROF_REQUEST_BYTES_SHIFT 24u ///< logarithm of the bytes per lane: 0 to 4
#define GMPROF_REQUEST_BYTES_MASK 7u
#define GMPROF_REQUEST_IS_SHARED (1u << 27) ///< accesses shared memory
/// Marks the first of several requests, one per iteration of a loop for each lane. The next row
/// describes the others. Its `address` holds the number of the lane's requests and, from
/// GMPROF_REQUEST_LOOP_STEP_SHIFT on, the increment of the site's number from one to the next. Its
/// `what` holds the distance in bytes from one address to the next. Its `lanes` has a bit for each
/// of the first 32 iterations, clear if the lane makes no request in it.
#define GMPROF_REQUEST_IS_LOOP (1u << 28)
#define GMPROF_ALL_ITERATIONS 0xffffffffu
#define GMPROF_REQUEST_LOOP_STEP_SHIFT 48u
#define GMPROF_REQUEST_LOOP_STEP_MAX 65535u

/// Part of one lane in a request, in a row of its own.
struct GmprofRequest {
  gmprof_u64 address;
  gmprof_u32 lanes; ///< mask of the participating lanes
  gmprof_u32 what;
};

/// Layout of a chunk: memory for requests of lanes of one warp. The lanes take a new one together
/// when one lane's column is full, or when they reconverge from different chunks. Each lane has a
/// column, from the second row on; unwritten entries are zero. A request stays in one chunk but may
/// be in different rows of it.
///
/// The first row is the head. Lane 0's `address` is the number of the warp: that of its block among
/// the recorded ones, times warpsPerBlock, plus its number in the block. Lane 0's `lanes` says
/// whether long loops were recorded (GMPROF_CHUNK_*), and `what` how many blocks of
/// GMPROF_HEAT_NOTE_KERNEL have processed the chunk. Chunks are taken several at a time, in growing
/// numbers: lane 1's `address` is the number of chunks that follow in the same group, plus 2^32
/// times the size of the group.
#define GMPROF_REQUEST_ROW_BYTES 512u
#define GMPROF_REQUEST_CHUNK_ROWS 32u
#define GMPROF_REQUEST_CHUNK_BYTES (GMPROF_REQUEST_CHUNK_ROWS * GMPROF_REQUEST_ROW_BYTES)

/// Flags of a chunk: it has long loops; it is listed in GmprofHeatTotals::sharedChunk.
#define GMPROF_CHUNK_HAS_LOOPS 1u
#define GMPROF_CHUNK_IS_SHARED 2u

/// Position at which a thread writes its requests.
struct GmprofRequestCursor {
  gmprof_u64 last;  ///< address of the last struct GmprofRequest; all ones: none
  gmprof_u32 lanes; ///< lanes that took the chunk together
  gmprof_u32 reserved;
};

/// Kernel that processes the requests left by a launch, and zeroes them. Its parameter is the
/// address of a struct GmprofHeatContext.
#define GMPROF_HEAT_NOTE_KERNEL "__gm_heat_note"

#define GMPROF_SHARED_CHUNKS 61

#endif // GMPROF_ABI_REQUESTS_H
