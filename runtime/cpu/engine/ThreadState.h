//===- ThreadState.h - State of a GPU thread and its block ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device function gets a hidden first parameter: a pointer to the
// ThreadState of the GPU thread that executes it. Special registers are loads
// from it or from its block's BlockState. Lowered code reads the fields by
// offset, so both structs are plain data.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_THREADSTATE_H
#define GMPROF_CPU_ENGINE_THREADSTATE_H

#include <cstdint>
#include <type_traits>

namespace gmprof::cpu {

constexpr unsigned WarpSize = 32;
constexpr unsigned MaxBlockThreads = 1024;
constexpr unsigned MaxWarps = MaxBlockThreads / WarpSize;

/// Shared memory that the system reserves below the program's; used by cooperative groups.
constexpr unsigned ReservedSharedBytes = 1024;

/// State common to all threads of a block.
struct BlockState {
  uint32_t BlockIdx[3];
  uint32_t BlockDim[3];
  uint32_t GridDim[3];
  uint32_t SmId;
  uint64_t GridId;
  uint64_t SharedBase;     ///< address of the block's shared memory, below 4 GiB
  uint64_t SharedBytes;    ///< static and dynamic together
  uint64_t ReservedShared; ///< %reserved_smem_offset_1: ReservedSharedBytes before SharedBase
  uint32_t DynamicOffset;  ///< offset of dynamic shared memory from SharedBase
  uint32_t DynamicBytes;
  uint32_t ClusterIdx[3], ClusterGrid[3]; ///< %clusterid, %nclusterid
  uint32_t InCluster[3], ClusterDim[3];   ///< %cluster_ctaid, %cluster_nctaid
  uint32_t ClusterRank, ClusterSize;
  uint32_t ExplicitCluster;           ///< the launch specified the cluster's dimensions
  const uint64_t *PeerBases;          ///< SharedBase of each block of the cluster, by rank
  uint64_t PeersLow, PeersHigh;       ///< address range of the cluster's shared memory
  uint64_t ConstantLow, ConstantHigh; ///< address range of the module's __constant__ memory
  uint64_t GridWorkspace; ///< %envreg1:%envreg2, cooperative groups' barrier of the grid
  const char *Params;     ///< kernel parameters, in PTX parameter layout
  const char *ParamsEnd;
};

/// Recorded depth of call paths: warp operations in deeper calls are ordered by their first
/// MaxCallPath calls only.
constexpr unsigned MaxCallPath = 16;

/// State of a GPU thread.
struct ThreadState {
  BlockState *Block;
  uint32_t ThreadIdx[3];
  uint32_t Linear;                ///< thread number within the block
  uint32_t Lane;                  ///< %laneid
  uint32_t Warp;                  ///< %warpid
  uint64_t StackLow, StackHigh;   ///< local memory
  uint32_t Spins;                 ///< iterations of waiting loops since the last yield
  uint32_t CallDepth;             ///< depth of calls that lead to warp operations
  uint32_t CallPath[MaxCallPath]; ///< call sites, outermost first
};

static_assert(std::is_standard_layout_v<BlockState> && std::is_standard_layout_v<ThreadState>);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_THREADSTATE_H
