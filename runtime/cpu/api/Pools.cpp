//===- Pools.cpp - Memory pools of stream-ordered allocation --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Pools.h"
#include "cpu/api/Memory.h"
#include <algorithm>

namespace gmprof::cpu::api {

void *MemoryPool::allocate(size_t Bytes, const char *Origin) {
  void *Start = memory().allocate(Bytes, MemoryKind::Device, Device, Origin, 0, shared_from_this());
  if (!Start)
    return nullptr;
  LockGuard Lock(Mutex);
  Used += Bytes;
  High = std::max(High, Used);
  return Start;
}

void MemoryPool::released(size_t Bytes) {
  LockGuard Lock(Mutex);
  Used -= Bytes;
}

cudaError_t MemoryPool::set(cudaMemPoolAttr Attribute, const void *Value) {
  if (!Value)
    return cudaErrorInvalidValue;
  LockGuard Lock(Mutex);
  if (auto Found = Reuse.find(Attribute); Found != Reuse.end()) {
    Found->second = *static_cast<const int *>(Value);
    return cudaSuccess;
  }
  uint64_t Number = *static_cast<const uint64_t *>(Value);
  switch (Attribute) {
  case cudaMemPoolAttrReleaseThreshold:
    ReleaseThreshold = Number;
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    if (Number != 0)
      return cudaErrorInvalidValue; // only a reset is allowed
    High = Used;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t MemoryPool::get(cudaMemPoolAttr Attribute, void *Value) {
  if (!Value)
    return cudaErrorInvalidValue;
  LockGuard Lock(Mutex);
  if (auto Found = Reuse.find(Attribute); Found != Reuse.end()) {
    *static_cast<int *>(Value) = Found->second;
    return cudaSuccess;
  }
  uint64_t &Number = *static_cast<uint64_t *>(Value);
  switch (Attribute) {
  case cudaMemPoolAttrReleaseThreshold:
    Number = ReleaseThreshold;
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent:
    Number = Used;
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    Number = High;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaMemAccessFlags MemoryPool::access(int FromDevice) {
  LockGuard Lock(Mutex);
  if (FromDevice == Device)
    return cudaMemAccessFlagsProtReadWrite;
  auto Found = Access.find(FromDevice);
  return Found == Access.end() ? cudaMemAccessFlagsProtNone : Found->second;
}

void MemoryPool::setAccess(int FromDevice, cudaMemAccessFlags Flags) {
  LockGuard Lock(Mutex);
  Access[FromDevice] = Flags;
}

} // namespace gmprof::cpu::api
