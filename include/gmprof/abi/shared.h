//===- shared.h - Launch parameter of the shared-memory clones ----*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_SHARED_H
#define GMPROF_ABI_SHARED_H

#include "gmprof/abi/types.h"

/// Launch parameter of the shared-memory clones. Word w of a launch is the 4-byte word at shared
/// address layout->firstAddress + 4*w. A block counts its accesses (saturating at the threshold).
/// When its last thread exits, it adds each count to sums[r*words + w] and, where the threshold was
/// reached, one to capped[r*words + w]; r = linear block id mod `replicas`.
struct GmprofSharedLaunch {
  gmprof_u64 sums;          ///< gmprof_u64 [replicas][words], device address
  gmprof_u64 capped;        ///< gmprof_u32 [replicas][words], device address
  gmprof_u64 totals;        ///< struct GmprofBlockTotals [replicas], device address
  gmprof_u64 layout;        ///< struct GmprofSharedLayout, device address
  gmprof_u32 words;         ///< words counted, a multiple of 4; accesses beyond are `lost`
  gmprof_u32 counterOffset; ///< of the counters in dynamic shared memory, bytes, multiple of 16
  gmprof_u32 counterBytes;  ///< bytes reserved there: counters, then 16 bytes of control state
  gmprof_u32 replicas;      ///< power of two
  gmprof_u32 blockSample;   ///< only blocks whose linear id is a multiple are counted; 1: all
  gmprof_u32 dynamicBytes;  ///< dynamic shared memory that the program asked for
  gmprof_u64 ranges;        ///< struct GmprofRangeCounts [replicas][rangeCount], device address;
                            ///< 0: live ranges are not counted
  gmprof_u64 rangeLog;      ///< struct GmprofRangeLog, device address
  gmprof_u32 rangeOffset;   ///< offset of the live ranges' state from the first counter
  gmprof_u32 rangeCount;    ///< as in the descriptor
  gmprof_u32 longBlock; ///< time in units of 2^GMPROF_BLOCK_TIME_SHIFT cycles after which a block's
                        ///< 32-bit counters may have overflowed
  gmprof_u32 reserved;
};
#define GMPROF_BLOCK_TIME_SHIFT 22

/// Bytes of control state, at counterBytes - GMPROF_SHARED_CONTROL_BYTES.
#define GMPROF_SHARED_CONTROL_BYTES 16u

/// State of live ranges in shared memory. rangeOffset begins a 32-bit mark for each word, followed
/// by GMPROF_RANGE_STATE_BYTES for each of rangeCount variables. counterBytes, behind the control
/// state, begins GMPROF_RANGE_BOUNDS_BYTES for each variable.
#define GMPROF_RANGE_STATE_BYTES 96u
#define GMPROF_RANGE_BOUNDS_BYTES 8u

/// Totals of the counted blocks. Zeroed by the host before the first launch. One per replica:
/// blocks would contend for a single one.
struct GmprofBlockTotals {
  gmprof_u64 blocks;  ///< counted and flushed
  gmprof_u64 threads; ///< of those blocks
};

/// Number of buckets of a histogram of live ranges by number of accesses: 0 to 7, then one for each
/// power of two, and from 1024 on.
#define GMPROF_RANGE_BUCKETS 16u

/// Live ranges of a variable's words. Zeroed by the host before the first launch.
struct GmprofRangeCounts {
  gmprof_u64 ranges[GMPROF_RANGE_BUCKETS];
  gmprof_u64 capped; ///< ranges in which the word's counter reached the threshold; not in `ranges`
  gmprof_u64 accesses;        ///< sum over `ranges`
  gmprof_u32 max;             ///< largest number of accesses in one range
  gmprof_u32 minComplemented; ///< ~minimum; 0: no ranges
};

/// Number of single live ranges that are logged: for each variable those of the first word that the
/// first thread of the grid moves. A block's logical clock advances by one with each move that its
/// first thread executes.
#define GMPROF_RANGE_RECORDS 64u

struct GmprofRangeRecord {
  gmprof_u32 variable;   ///< position in the descriptor's list
  gmprof_u32 word;       ///< as in GmprofSharedLaunch
  gmprof_u32 begin, end; ///< logical clock
  gmprof_u32 accesses;
  gmprof_u32 moved; ///< 1: a move began it; 0: it began at the start of the block or after an end
};

/// Log of single live ranges. Zeroed by the host before the first launch.
struct GmprofRangeLog {
  gmprof_u32 count; ///< number that occurred; may exceed GMPROF_RANGE_RECORDS
  gmprof_u32 reserved;
  struct GmprofRangeRecord records[GMPROF_RANGE_RECORDS];
};

/// Placement of shared memory, written by the clones. Zeroed by the host before the first launch.
struct GmprofSharedLayout {
  gmprof_u64 lost;           ///< accesses outside the counted words
  gmprof_u32 firstAddress;   ///< shared address of word 0
  gmprof_u32 dynamicAddress; ///< shared address of dynamic shared memory
  gmprof_u32 variables[1];   ///< shared address of each variable of the descriptor, GMPROF_NONE if
                             ///< not shared
};

#endif // GMPROF_ABI_SHARED_H
