//===- ClusterHelpers.cpp - Shared memory of blocks of a cluster ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <bit>
#include <cstring>

namespace gmprof::cpu {

/// Returns the rank of the block whose shared memory contains the address; the number of blocks if
/// there is none.
static uint32_t rankOf(ThreadState *Thread, uint64_t Address) {
  const BlockState &B = *Thread->Block;
  uint32_t Rank = 0;
  while (Rank < B.ClusterSize && Address - B.PeerBases[Rank] >= B.SharedBytes)
    ++Rank;
  return Rank;
}

/// Maps an address in any block's shared memory to the block of this rank. Without such a block,
/// returns an address that faults when used, because optimisers may hoist the mapping above a
/// check.
static uint64_t mapToBlock(ThreadState *Thread, uint64_t Address, uint32_t Rank) {
  const BlockState &B = *Thread->Block;
  const uint32_t From = rankOf(Thread, Address);
  return Address - (From < B.ClusterSize ? B.PeerBases[From] : B.SharedBase) +
         (Rank < B.ClusterSize ? B.PeerBases[Rank] : 0);
}

/// Copies to the blocks in the mask, whose barriers count the bytes.
static void copyToBlocks(ThreadState *Thread, uint64_t To, const void *From, uint32_t Bytes,
                         uint64_t Barrier, uint32_t Mask) {
  for (; Mask; Mask &= Mask - 1) {
    const uint32_t Rank = std::countr_zero(Mask);
    memcpy(reinterpret_cast<void *>(mapToBlock(Thread, To, Rank)), From, Bytes);
    completeTx(reinterpret_cast<uint64_t *>(mapToBlock(Thread, Barrier, Rank)), Bytes);
  }
}

std::span<const Helper> clusterHelpers() {
  static const Helper Helpers[] = {
      helper("gm_mapa", mapToBlock),
      helper("gm_cta_rank", rankOf),
      helper("gm_multicast", copyToBlocks),
  };
  return Helpers;
}

} // namespace gmprof::cpu
