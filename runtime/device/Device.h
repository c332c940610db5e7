//===- Device.h - Definitions shared by all hooks ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hook is a function with C linkage that the pass calls from a kernel's clone and inlines there.
// Hooks are compiled once, for the lowest architecture that CUDA 13 supports, and used for all
// architectures; they must not call libdevice.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_DEVICE_H
#define GMPROF_DEVICE_DEVICE_H

#include "gmprof/abi.h"

#define GM_HOOK extern "C" __device__ __attribute__((used))
/// A hook that clones and other hooks call instead of inlining.
#define GM_HELPER extern "C" __device__ __attribute__((used, noinline))
#define GM_INLINE __device__ __attribute__((always_inline)) inline

namespace gmprof {

/// Address in the shared window. The window is smaller than 4 GiB, and 32-bit arithmetic is half
/// the work.
using SharedAddress = gmprof_u32;

template <class T> using SharedPointer = T __attribute__((address_space(3))) *;

template <class T> GM_INLINE SharedPointer<T> sharedPointer(SharedAddress Address) {
  return (SharedPointer<T>)(gmprof_u64)Address;
}

template <class T> using GlobalPointer = T __attribute__((address_space(1))) *;

template <class T> GM_INLINE GlobalPointer<T> globalPointer(gmprof_u64 Address) {
  return (GlobalPointer<T>)Address;
}

/// Returns the object, of Count objects sorted by base, that contains the address, or null.
template <class Object>
GM_INLINE GlobalPointer<const Object> objectAt(GlobalPointer<const Object> Sorted, gmprof_u32 Count,
                                               gmprof_u64 Address) {
  gmprof_u32 Begin = 0, End = Count;
  while (Begin != End) {
    gmprof_u32 Middle = Begin + (End - Begin) / 2;
    if (Sorted[Middle].base <= Address)
      Begin = Middle + 1;
    else
      End = Middle;
  }
  if (Begin == 0)
    return nullptr;
  GlobalPointer<const Object> Found = Sorted + Begin - 1;
  return Address - Found->base < Found->bytes ? Found : nullptr;
}

/// Returns the mask of lanes that execute this together. Valid only until the lanes can diverge.
GM_INLINE gmprof_u32 activeLanes() { return __nvvm_activemask(); }
GM_INLINE gmprof_u32 lane() { return __nvvm_read_ptx_sreg_laneid(); }
GM_INLINE gmprof_u32 firstLane(gmprof_u32 Lanes) { return __builtin_ctz(Lanes); }
GM_INLINE gmprof_u32 laneCount(gmprof_u32 Lanes) { return __builtin_popcount(Lanes); }

/// Returns the 64-bit value of another lane.
GM_INLINE gmprof_u64 shuffle(gmprof_u32 Lanes, gmprof_u64 Value, gmprof_u32 Lane) {
  gmprof_u32 Low = __shfl_sync(Lanes, (gmprof_u32)Value, Lane);
  gmprof_u32 High = __shfl_sync(Lanes, (gmprof_u32)(Value >> 32), Lane);
  return (gmprof_u64)High << 32 | Low;
}

/// Returns the position of this lane among `Lanes`.
GM_INLINE gmprof_u32 laneRank(gmprof_u32 Lanes) {
  return laneCount(Lanes & __nvvm_read_ptx_sreg_lanemask_lt());
}

GM_INLINE gmprof_u32 threadInBlock() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GM_INLINE gmprof_u32 threadsOfBlock() { return blockDim.x * blockDim.y * blockDim.z; }

/// Returns the linear block id modulo 2^32; its remainder by a power of two is exact.
GM_INLINE gmprof_u32 blockInGrid() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

GM_INLINE gmprof_u64 linearBlock() {
  return blockIdx.x + (gmprof_u64)gridDim.x * (blockIdx.y + (gmprof_u64)gridDim.y * blockIdx.z);
}

/// Returns whether a block is one of first, first + step, first + 2 * step … below end.
template <class Launch> GM_INLINE bool isOneOf(const Launch *Of, gmprof_u64 Block) {
  if (Block < Of->first || Block >= Of->end)
    return false;
  return Of->step == 1 || Block == Of->first || (Block - Of->first) % Of->step == 0;
}

GM_INLINE gmprof_u32 minimum(gmprof_u32 A, gmprof_u32 B) { return A < B ? A : B; }
GM_INLINE gmprof_u64 minimum(gmprof_u64 A, gmprof_u64 B) { return A < B ? A : B; }

GM_INLINE void addGlobal(gmprof_u64 *To, gmprof_u64 Value) {
  __atomic_fetch_add((__attribute__((address_space(1))) gmprof_u64 *)To, Value, __ATOMIC_RELAXED);
}
GM_INLINE gmprof_u32 addGlobal(gmprof_u32 *To, gmprof_u32 Value) {
  return __atomic_fetch_add((__attribute__((address_space(1))) gmprof_u32 *)To, Value,
                            __ATOMIC_RELAXED);
}

GM_INLINE void raiseGlobal(gmprof_u32 *To, gmprof_u32 Value) {
  __atomic_fetch_max((__attribute__((address_space(1))) gmprof_u32 *)To, Value, __ATOMIC_RELAXED);
}

} // namespace gmprof

#endif // GMPROF_DEVICE_DEVICE_H
