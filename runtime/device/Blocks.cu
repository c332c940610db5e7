//===- Blocks.cu - Hooks that record where and when a block runs ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They wait for nothing, so that blocks run as without them.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace gmprof;

static GM_INLINE GlobalPointer<GmprofPlacedBlock> ownBlock(const GmprofTraceLaunch *Launch) {
  return globalPointer<GmprofPlacedBlock>(Launch->context) + linearBlock();
}

/// Called by all threads of a block.
GM_HOOK void __gm_block_begins(const GmprofTraceLaunch *Launch) {
  if (threadInBlock() != 0)
    return;
  const GlobalPointer<GmprofPlacedBlock> Own = ownBlock(Launch);
  Own->begin = __nvvm_read_ptx_sreg_clock64();
  Own->sm = __nvvm_read_ptx_sreg_smid();
}

/// Called by each thread of a block when it exits.
GM_HOOK void __gm_block_ends(const GmprofTraceLaunch *Launch) {
  if (lane() == firstLane(activeLanes()))
    __atomic_fetch_max(&ownBlock(Launch)->end, (gmprof_u64)__nvvm_read_ptx_sreg_clock64(),
                       __ATOMIC_RELAXED);
}
