//===- placement.h - SM and time of each block, of K__gm_blocks ---*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K__gm_blocks runs the kernel's own code, and records only where and when each block ran.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_PLACEMENT_H
#define GMPROF_ABI_PLACEMENT_H

#include "gmprof/abi/types.h"

/// Where and when a block ran. All members are 0 if it did not.
struct GmprofPlacedBlock {
  gmprof_u64 begin; ///< %clock64 of the SM, when the first thread began
  gmprof_u64 end;   ///< %clock64 of the SM, when the last warp exited
  gmprof_u64 sm;    ///< %smid
};

#endif // GMPROF_ABI_PLACEMENT_H
