//===- GraphMemory.cpp - Memory of graph allocation nodes -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/GraphMemory.h"
#include "cpu/api/Memory.h"
#include "cpu/api/Pools.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <map>
#include <unordered_map>

namespace gmprof::cpu::api {

namespace {

struct Level {
  uint64_t Current = 0, High = 0;

  void change(bool Up, size_t Bytes) {
    Current = Up ? Current + Bytes : Current - Bytes;
    High = std::max(High, Current);
  }
};

struct Table {
  gmprof::Mutex Mutex;
  std::unordered_map<const void *, std::weak_ptr<GraphMemory>> ByStart GMPROF_GUARDED_BY(Mutex);
  /// Levels by device.
  std::map<int, Level> Used GMPROF_GUARDED_BY(Mutex), Reserved GMPROF_GUARDED_BY(Mutex);
};

Table &table() {
  static Table &TheTable = *new Table;
  return TheTable;
}

std::shared_ptr<GraphMemory> findGraphMemory(const void *Start) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  auto Found = T.ByStart.find(Start);
  return Found == T.ByStart.end() ? nullptr : Found->second.lock();
}

} // namespace

GraphMemory::GraphMemory(void *Start, size_t Bytes, int Device)
    : Start(Start), Bytes(Bytes), Device(Device), Id(memory().findStart(Start)->Id) {}

std::shared_ptr<GraphMemory> GraphMemory::allocate(int Device, size_t Bytes, const char *Origin) {
  void *Start = memory().allocate(Bytes, MemoryKind::Device, Device, Origin);
  if (!Start)
    return nullptr;
  std::shared_ptr<GraphMemory> New(new GraphMemory(Start, Bytes, Device));
  Table &T = table();
  LockGuard Lock(T.Mutex);
  T.ByStart[Start] = New;
  T.Reserved[Device].change(true, Bytes);
  return New;
}

GraphMemory::~GraphMemory() {
  {
    Table &T = table();
    LockGuard Lock(T.Mutex);
    T.ByStart.erase(Start);
    T.Reserved[Device].change(false, Bytes);
    if (Outstanding)
      T.Used[Device].change(false, Bytes);
  }
  if (!Outstanding)
    memory().releaseIfStill(Start, Id);
}

void GraphMemory::setOutstanding(bool Is) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  if (Outstanding.exchange(Is) != Is)
    T.Used[Device].change(Is, Bytes);
}

void freeAllocation(void *Start) {
  if (std::shared_ptr<GraphMemory> OfGraph = findGraphMemory(Start)) {
    OfGraph->setOutstanding(false);
    return;
  }
  std::optional<Allocation> A = memory().findStart(Start);
  if (!A)
    return;
  memory().release(Start);
  if (A->Pool)
    A->Pool->released(A->Bytes);
}

cudaError_t getGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute,
                                    uint64_t &Value) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  switch (Attribute) {
  case cudaGraphMemAttrUsedMemCurrent:
    Value = T.Used[Device].Current;
    return cudaSuccess;
  case cudaGraphMemAttrUsedMemHigh:
    Value = T.Used[Device].High;
    return cudaSuccess;
  case cudaGraphMemAttrReservedMemCurrent:
    Value = T.Reserved[Device].Current;
    return cudaSuccess;
  case cudaGraphMemAttrReservedMemHigh:
    Value = T.Reserved[Device].High;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t resetGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  if (Attribute != cudaGraphMemAttrUsedMemHigh && Attribute != cudaGraphMemAttrReservedMemHigh)
    return cudaErrorInvalidValue;
  Level &L = Attribute == cudaGraphMemAttrUsedMemHigh ? T.Used[Device] : T.Reserved[Device];
  L.High = L.Current;
  return cudaSuccess;
}

} // namespace gmprof::cpu::api
