//===- heat.h - Launch parameter of K__gm_heat --------------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_HEAT_H
#define GMPROF_ABI_HEAT_H

#include "gmprof/abi/kinds.h"
#include "gmprof/abi/requests.h"
#include "gmprof/abi/sites.h"
#include "gmprof/abi/types.h"

/// Granularity of the heat profile (cuThermo, 2025, Sections IV.A and IV.B). In the blocks that a
/// launch names, K__gm_heat records the set of distinct warps that access each 4-byte word of
/// global memory. A warp's number is that of its threads in the block, divided by 32. Bit w of a
/// word's mask is warp w; a sector's mask is the union of its words' masks.
///
/// Memory is described by pages, taken from a pool at the first access. A page has a struct
/// GmprofHeatPage for each kind of access (GmprofCounterKind).
#define GMPROF_HEAT_WORD_BYTES 4u
#define GMPROF_HEAT_SECTOR_BYTES 32u
#define GMPROF_HEAT_PAGE_BYTES 4096u
#define GMPROF_HEAT_PAGE_WORDS 1024u
#define GMPROF_HEAT_PAGE_SECTORS 128u

/// Accesses of one kind to a page of memory. Zeroed by the host before its first use.
struct GmprofHeatPage {
  gmprof_u32 warps[GMPROF_HEAT_PAGE_WORDS];    ///< mask of warps
  gmprof_u32 accesses[GMPROF_HEAT_PAGE_WORDS]; ///< by threads, modulo 2^32
  /// Mask of places: bit p is set if an instruction at place p of the kernel accesses the sector.
  /// Places number the distinct pairs of file and line in the order of the sites (GmprofSiteDesc),
  /// functions that are not inlined last; all further pairs, and functions whose sites are not
  /// known, share the last place.
  gmprof_u64 places[GMPROF_HEAT_PAGE_SECTORS];
  /// 1 + number of the block that accessed the sector first; the highest bit is set if another
  /// block accessed it as well.
  gmprof_u32 blocks[GMPROF_HEAT_PAGE_SECTORS];
  gmprof_u64 page; ///< its number in the directory
  gmprof_u32 kind; ///< GMPROF_COUNTER_*
  gmprof_u32 reserved;
};
#define GMPROF_HEAT_PLACES 64u

/// Digest of a page: pages with equal hashes are equal, except for their number and block. Computed
/// by the kernel GMPROF_HEAT_DIGEST_KERNEL, which every module with a K__gm_heat has, and whose
/// parameter is the address of a struct GmprofHeatContext.
struct GmprofHeatDigest {
  gmprof_u64 page;
  gmprof_u64 hash[2];
  gmprof_u32 kind;
  gmprof_u32 block; ///< common value of `blocks` of all sectors of the page; 0: they differ
};
#define GMPROF_HEAT_DIGEST_KERNEL "__gm_heat_digest"
#define GMPROF_HEAT_SEVERAL_BLOCKS 0x80000000u

/// Accesses of one kind to a word of shared memory.
struct GmprofHeatWord {
  gmprof_u32 warps;
  gmprof_u32 accesses;
  gmprof_u32 thread; ///< 1 + number of the thread in its block; GMPROF_NONE: several; 0: none
  gmprof_u32 reserved;
};

/// Memory traffic of the requests of one instruction. A request is the accesses of the active lanes
/// of a warp. A transaction of global memory is a sector, one of shared memory a wavefront: a pass
/// over the banks.
#define GMPROF_HEAT_SITE_FIELDS                                                                    \
  GMPROF_FIELD(gmprof_u64, requests)     /* executions by a warp */                                \
  GMPROF_FIELD(gmprof_u64, lanes)        /* sum over requests of participating lanes */            \
  GMPROF_FIELD(gmprof_u64, bytes)        /* sum over requests of distinct bytes */                 \
  GMPROF_FIELD(gmprof_u64, transactions) /* sum over requests */                                   \
  GMPROF_FIELD(gmprof_u64, ideal) /* fewest possible sectors, or conflict-free wavefronts */       \
  /* Requests for consecutive bytes that start inside a sector and therefore need one more. */     \
  GMPROF_FIELD(gmprof_u64, misaligned)                                                             \
  /* Requests whose lanes have one common distance, neither 0 nor the access's size. */            \
  GMPROF_FIELD(gmprof_u64, strided)                                                                \
  GMPROF_FIELD(gmprof_u64, stride) /* sum of these distances, signed, in bytes */
#define GMPROF_FIELD(type, name) type name;
struct GmprofHeatSite {
  GMPROF_HEAT_SITE_FIELDS
};
#undef GMPROF_FIELD

/// Object of global memory; its first page is the one that `base` is in.
struct GmprofHeatObject {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
  gmprof_u64 firstPage; ///< number of its first page in the directory
};

/// Totals of a launch. Zeroed by the host before the launch.
struct GmprofHeatTotals {
  gmprof_u64 blocks;  ///< recorded blocks
  gmprof_u64 threads; ///< of those blocks
  gmprof_u64 outside; ///< accesses, by threads, outside all known objects
  gmprof_u64 lost;    ///< accesses, by threads, to pages for which the pool had no room
  /// Accesses, by threads, to other blocks' shared memory, which are not recorded.
  gmprof_u64 otherBlocks;
  gmprof_u32 pagesUsed;    ///< pages taken from the pool; may exceed pageLimit
  gmprof_u32 chunksUsed;   ///< chunks taken; may exceed chunkLimit
  gmprof_u32 sharedChunks; ///< entries of sharedChunk; may exceed GMPROF_SHARED_CHUNKS
  /// Numbers of chunks with long loops, which all blocks of GMPROF_HEAT_NOTE_KERNEL process
  /// together.
  gmprof_u32 sharedChunk[GMPROF_SHARED_CHUNKS];
};

/// State of a launch's clone, in device memory.
struct GmprofHeatContext {
  gmprof_u64 objects;   ///< struct GmprofHeatObject [objectCount], sorted, not overlapping
  gmprof_u64 totals;    ///< struct GmprofHeatTotals
  gmprof_u64 directory; ///< gmprof_u32 [pages of all objects][GMPROF_COUNTER_KINDS]: 1 + number
                        ///< in the pool; 0: none
  gmprof_u64 pages;     ///< struct GmprofHeatPage [pageLimit]: the pool
  gmprof_u64 digests;   ///< struct GmprofHeatDigest [pageLimit]
  /// struct GmprofHeatSite [replicas][2][siteCount + functionSites + 1]: requests to global memory,
  /// then to shared memory; a generic pointer may lead to both. The last one is for unknown sites.
  gmprof_u64 sites;
  gmprof_u64 words;  ///< struct GmprofHeatWord [sharedWords][GMPROF_COUNTER_KINDS], for the first
                     ///< recorded block only
  gmprof_u64 layout; ///< struct GmprofSharedLayout
  gmprof_u64 functionPlaces; ///< gmprof_u8 [functionSites]: see GmprofHeatPage::places
  gmprof_u32 objectCount;
  gmprof_u32 pageLimit;
  gmprof_u32 siteCount;
  gmprof_u32 replicas; ///< power of two
  gmprof_u32 sharedWords;
  gmprof_u32 warpsPerBlock;
  gmprof_u64 firstBlock, blockStep; ///< as in the launch parameter
  /// Chunks [chunkLimit], aligned to their size. The launch itself processes requests for which
  /// there is no room.
  gmprof_u64 requests;
  gmprof_u32 chunkLimit;
  gmprof_u32 functionSites; ///< sum over `units`
  struct GmprofUnit units[GMPROF_UNITS];
};

/// Launch parameter of K__gm_heat. Records the blocks first, first + step, first + 2 * step … below
/// end (linear numbers).
struct GmprofHeatLaunch {
  gmprof_u64 context; ///< struct GmprofHeatContext, device address
  gmprof_u64 first, end;
  gmprof_u64 step;
};

#endif // GMPROF_ABI_HEAT_H
