//===- global.h - Launch parameter of the global-memory clones ----*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_GLOBAL_H
#define GMPROF_ABI_GLOBAL_H

#include "gmprof/abi/kinds.h"
#include "gmprof/abi/types.h"

/// Object of global memory that a launch can reach. Element e is the bytes from base + (e <<
/// elementShift) on; an access counts once for each element that it touches. Counter e of a kind is
/// at counters[kind] + e * globalCounterBits / 8. Counters are 64-byte aligned, padded to a
/// multiple of 64 bytes, and exact below the threshold.
///
/// With replicas, counters have 64 bits and no threshold; block b (linear id) uses those at
/// counters[kind] + ((b mod replicas) << replicaShift). Allowed only if globalCounterBits is 8 or
/// 16.
struct GmprofGlobalObject {
  gmprof_u64 base;                           ///< device address
  gmprof_u64 bytes;                          ///< 0: no object
  gmprof_u64 counters[GMPROF_COUNTER_KINDS]; ///< device addresses; 0: not counted
  gmprof_u32 elementShift;
  gmprof_u16 replicas; ///< 0, or a power of two
  gmprof_u16 replicaShift;
};

#define GMPROF_GLOBAL_ROOTS 16u

/// Launch parameter of the global-memory clones. An access whose variable has a root searches that
/// root first, then `objects`; other accesses search `objects` only. Accesses to no object count as
/// `outside` in the totals.
struct GmprofGlobalLaunch {
  gmprof_u64 objects;     ///< struct GmprofGlobalObject [objectCount], device address, sorted
                          ///< by base, not overlapping
  gmprof_u64 totals;      ///< struct GmprofGlobalTotals, device address
  gmprof_u32 objectCount; ///< may be 0
  /// Counts only blocks whose linear id is a multiple of this; 1: all. Closed forms always describe
  /// all blocks.
  gmprof_u32 blockSample;
  struct GmprofGlobalObject roots[GMPROF_GLOBAL_ROOTS];
};

/// Totals of the counted blocks. Zeroed by the host before the first launch.
struct GmprofGlobalTotals {
  gmprof_u64 blocks;  ///< counted blocks
  gmprof_u64 threads; ///< of those blocks
  /// Accesses to global memory outside all known objects, and calls of functions in other
  /// translation units that are not instrumented.
  gmprof_u64 outside;
};

#endif // GMPROF_ABI_GLOBAL_H
