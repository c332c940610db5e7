//===- objects.h - Launch parameter of K__gm_objects --------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_OBJECTS_H
#define GMPROF_ABI_OBJECTS_H

#include "gmprof/abi/types.h"

/// Range of global memory. An object has several ranges if parts of it are objects of their own.
struct GmprofObjectRange {
  gmprof_u64 base; ///< device address
  gmprof_u64 bytes;
};

/// Launch parameter of K__gm_objects. A hit is a byte that is set to non-zero. Hits are the fixed
/// ones (GMPROF_HIT_*), then the descriptor's flags, and from objectHits on two per range, for
/// reads and writes. Block b (linear id) sets those at hits + ((b mod replicas) << replicaShift).
/// Zeroed by the host.
struct GmprofObjectsLaunch {
  gmprof_u64 objects; ///< struct GmprofObjectRange [objectCount], device address, sorted by
                      ///< base, not overlapping
  gmprof_u64 hits;    ///< device address, a multiple of 8
  gmprof_u32 objectCount;
  gmprof_u32 objectHits; ///< a multiple of 8
  gmprof_u32 replicas;   ///< power of two
  gmprof_u32 replicaShift;
};

/// Hit: memory outside all ranges was accessed.
#define GMPROF_HIT_OUTSIDE 0u
/// Hit: a function in another translation unit that is not instrumented was called.
#define GMPROF_HIT_NOT_FOLLOWED 1u
#define GMPROF_HIT_FIRST_FLAG 2u

#endif // GMPROF_ABI_OBJECTS_H
