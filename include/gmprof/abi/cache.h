//===- cache.h - Traces of requests, launch parameter of K__gm_cache *- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See von Buelow et al., 2022, Section 4.1.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_CACHE_H
#define GMPROF_ABI_CACHE_H

#include "gmprof/abi/sites.h"
#include "gmprof/abi/types.h"

/// Size of a chunk. Records go to the host through chunks of page-locked memory, which it empties
/// while the kernel runs. A chunk holds a struct GmprofTraceChunk, then records, one behind the
/// other; unwritten memory is zero. A chunk belongs to lanes of a warp that stay converged: lanes
/// that diverge or reconverge leave it and continue in another one (struct GmprofOpenChunks). Full
/// chunks go to the host.
#define GMPROF_TRACE_CHUNK_BYTES 2048u

/// Head of a chunk.
struct GmprofTraceChunk {
  gmprof_u64 launch; ///< of GmprofTraceContext
  gmprof_u64 block;  ///< linear number
  gmprof_u64 clock;  ///< %clock64 when the chunk was taken
  gmprof_u32 sm;     ///< %smid
  gmprof_u16 warp;   ///< number in the block, by thread number
  gmprof_u16 slot;   ///< %warpid
};

/// Record of a request. `what` selects what follows it: nothing, and lane l accesses base + (l -
/// first lane) * stride; or a struct GmprofTraceRows; or for each of its lanes a gmprof_i32 to add
/// to base; or for each of its lanes a gmprof_u64 address. Padding to a multiple of 8 bytes
/// follows. Addresses of local memory are per thread, from an origin common to all threads.
struct GmprofTraceRecord {
  gmprof_u32 lanes; ///< not 0
  gmprof_u32 what;
  gmprof_u32 clock; ///< lower half of %clock64
  gmprof_i32 stride;
  gmprof_u64 base; ///< address of the first lane
};
/// Fields of `what`, beside GMPROF_SITE_MASK.
#define GMPROF_TRACE_BYTES_SHIFT 16u ///< logarithm of the bytes per lane: 0 to 4
#define GMPROF_TRACE_BYTES_MASK 7u
#define GMPROF_TRACE_KIND_SHIFT 19u ///< enum GmprofTraceKind
#define GMPROF_TRACE_KIND_MASK 7u
#define GMPROF_TRACE_OPERATOR_SHIFT 22u ///< enum GmprofTraceOperator
#define GMPROF_TRACE_OPERATOR_MASK 7u
#define GMPROF_TRACE_OFFSETS (1u << 25)   ///< 32-bit offsets follow
#define GMPROF_TRACE_ADDRESSES (1u << 26) ///< 64-bit addresses follow

enum GmprofTraceKind {
  GMPROF_TRACE_LOAD,
  GMPROF_TRACE_STORE,
  GMPROF_TRACE_ATOMIC,    ///< result is used
  GMPROF_TRACE_REDUCTION, ///< atomic without a used result
  GMPROF_TRACE_LOCAL_LOAD,
  GMPROF_TRACE_LOCAL_STORE,
  GMPROF_TRACE_ASYNC_COPY, ///< cp.async's read of global memory
};
/// Cache operator of the PTX instruction, or the kind of its issuer.
enum GmprofTraceOperator {
  GMPROF_TRACE_CA,
  GMPROF_TRACE_CG,
  GMPROF_TRACE_CS,
  GMPROF_TRACE_LU,
  GMPROF_TRACE_CV,
  GMPROF_TRACE_NC,
  GMPROF_TRACE_BULK,  ///< bulk copy: each lane is a piece of 16 bytes, side by side
  GMPROF_TRACE_FENCE, ///< no access: invalidates L1. Site: GMPROF_SITE_UNKNOWN
};

/// Totals of a launch, in device memory, initially zero.
struct GmprofTraceTotals {
  gmprof_u64 lost;         ///< requests for which there was no chunk
  gmprof_u64 outside;      ///< calls of code that is not instrumented
  gmprof_u64 taken, given; ///< chunks
};
/// State of a launch's clone, in device memory.
struct GmprofTraceContext {
  struct GmprofTraceTotals totals;
  gmprof_u64 channel; ///< struct GmprofTraceChannel, device address
  gmprof_u64 launch;  ///< unique number of the launch, not 0
  struct GmprofUnit units[GMPROF_UNITS];
};

/// Launch parameter of K__gm_cache. Records the blocks first, first + step, first + 2 * step …
/// below end (linear numbers) on SMs whose number is a multiple of smStep. K__gm_blocks records all
/// blocks.
struct GmprofTraceLaunch {
  /// struct GmprofTraceContext, device address; of K__gm_blocks: struct GmprofPlacedBlock[], one
  /// for each block of the grid
  gmprof_u64 context;
  gmprof_u64 first, end;
  gmprof_u64 step;
  gmprof_u64 smStep;
};

/// Position at which a thread writes its records.
struct GmprofTraceCursor {
  gmprof_u64 next;  ///< address of the next record; 0: no chunk
  gmprof_u32 lanes; ///< lanes that own the chunk
  gmprof_u32 taker; ///< see GmprofTraceChannel::takers
};

#endif // GMPROF_ABI_CACHE_H
