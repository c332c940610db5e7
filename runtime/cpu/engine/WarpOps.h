//===- WarpOps.h - Operations of threads of a warp or block -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the helpers for which LowerThreads.cpp emits calls and which ThreadHelpers.cpp defines.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_WARPOPS_H
#define GMPROF_CPU_ENGINE_WARPOPS_H

#include "cpu/engine/ThreadState.h"

namespace gmprof::cpu {

enum class WarpOpKind : uint8_t {
  // No mask: all lanes at the same site take part.
  ActiveMask,
  Reconverge, ///< end of a loop iteration; keeps iterations apart
  // Operations with a mask, or without one (forms before sm_70).
  SyncWarp,
  VoteAll,
  VoteAny,
  VoteUniform,
  Ballot,
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  MatchAny,
  MatchAll,
  Elect,
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceUMin,
  ReduceUMax,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  ReduceFMin, ///< of float bits; NaN loses
  ReduceFMax,
  ReduceFMinNaN, ///< NaN wins
  ReduceFMaxNaN,
  Exchange, ///< every lane receives the data of all others
};

/// Flag in a kind: the operation has no mask.
constexpr uint32_t ImplicitMask = 0x100;

enum class BarrierKind : uint8_t { Sync, Arrive, PopCount, And, Or };

constexpr unsigned NumBarriers = 16;

extern "C" {
/// Executes a warp operation of the calling lane. A is the value (of a shuffle, match, reduction)
/// or predicate (of a vote), B and C a shuffle's lane and clamp. The low half of the result is the
/// value, bit 32 the predicate.
uint64_t gm_warp_op(ThreadState *Thread, uint32_t Site, uint32_t Kind, uint32_t Mask, uint64_t A,
                    uint32_t B, uint32_t C);
/// Executes a barrier. Count is in threads, 0 for the whole block.
uint32_t gm_barrier(ThreadState *Thread, uint32_t Site, uint32_t Kind, uint32_t Id, uint32_t Count,
                    uint32_t Predicate);
/// Marks an iteration of a loop that waits for other threads.
void gm_spin(ThreadState *Thread, uint32_t Site);
void gm_nanosleep(ThreadState *Thread, uint32_t Site, uint32_t Nanoseconds);
[[noreturn]] void gm_exit(ThreadState *Thread);
uint64_t gm_clock64();
uint64_t gm_globaltimer();
}

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_WARPOPS_H
