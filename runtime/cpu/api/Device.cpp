//===- Device.cpp - Device state ------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Device.h"
#include "cpu/api/GpuLibraries.h"
#include "cpu/api/Memory.h"
#include "cpu/api/Modules.h"
#include "cpu/api/Options.h"
#include "cpu/api/Pools.h"

namespace gmprof::cpu::api {

namespace {

thread_local int Current = 0;

std::vector<std::unique_ptr<Device>> &devices() {
  static auto &Devices = *[] {
    complainOfGpuLibraries();
    auto *List = new std::vector<std::unique_ptr<Device>>;
    for (unsigned I = 0; I != options().Devices; ++I)
      List->push_back(std::make_unique<Device>(static_cast<int>(I)));
    return List;
  }();
  return Devices;
}

} // namespace

static constexpr size_t DefaultPrintfBytes = size_t(8) << 20, DefaultHeapBytes = size_t(8) << 20;

Device::Device(int Index)
    : Index(Index), Arch(architecture()),
      Legacy(std::make_shared<Stream>(*this, cudaStreamDefault, 0, true)),
      DefaultPool(std::make_shared<MemoryPool>(Index)), CurrentPool(DefaultPool) {
  Limits[cudaLimitStackSize] = 1024;
  Limits[cudaLimitPrintfFifoSize] = DefaultPrintfBytes;
  Limits[cudaLimitMallocHeapSize] = DefaultHeapBytes;
  Limits[cudaLimitDevRuntimeSyncDepth] = 2;
  Limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
  Limits[cudaLimitMaxL2FetchGranularity] = 64;
  Limits[cudaLimitPersistingL2CacheSize] = 0;
  Pools.add(DefaultPool);
}

size_t Device::limitBytes(cudaLimit Limit, size_t Value) const {
  const auto Above = [&](cudaLimit Which, size_t Default) {
    const size_t Now = Which == Limit ? Value : Limits[Which].load();
    return Now - std::min(Now, Default);
  };
  const size_t Printf = Above(cudaLimitPrintfFifoSize, DefaultPrintfBytes),
               Heap = Above(cudaLimitMallocHeapSize, DefaultHeapBytes);
  return Printf > SIZE_MAX - Heap ? SIZE_MAX : Printf + Heap;
}

std::shared_ptr<Stream> Device::createStream(unsigned Flags, int Priority) {
  auto S = std::make_shared<Stream>(*this, Flags, Priority, false);
  LockGuard Lock(Order);
  Streams.insert(S);
  return S;
}

void Device::dropStream(Stream &S) {
  LockGuard Lock(Order);
  std::erase_if(Orphans, [](const Orphan &O) { return O.Last->done(); });
  if (S.Tail && !S.Tail->done())
    Orphans.push_back({S.Tail, S.blocking()});
  for (auto It = Streams.begin(); It != Streams.end(); ++It)
    if (It->get() == &S) {
      Streams.erase(It);
      return;
    }
}

/// Returns the tasks that new work of a stream must follow. The legacy default stream follows all
/// blocking streams, and these follow it.
std::vector<TaskRef> Device::predecessors(const Stream &S) const {
  std::vector<TaskRef> Before{S.Tail};
  if (S.Legacy) {
    for (const std::shared_ptr<Stream> &Other : Streams)
      if (Other->blocking())
        Before.push_back(Other->Tail);
    for (const Orphan &O : Orphans)
      if (O.Blocking)
        Before.push_back(O.Last);
  } else if (S.blocking()) {
    Before.push_back(Legacy->Tail);
  }
  return Before;
}

TaskRef Device::allWork() {
  std::vector<TaskRef> Before;
  {
    LockGuard Lock(Order);
    Before.push_back(Legacy->Tail);
    for (const Orphan &O : Orphans)
      Before.push_back(O.Last);
    for (const std::shared_ptr<Stream> &S : Streams)
      Before.push_back(S->Tail);
  }
  return scheduler().submitBrief({}, Before);
}

std::vector<std::shared_ptr<Stream>> Device::streams() {
  LockGuard Lock(Order);
  std::vector<std::shared_ptr<Stream>> All(Streams.begin(), Streams.end());
  All.push_back(Legacy);
  return All;
}

void Device::fail(cudaError_t Error) {
  cudaError_t None = cudaSuccess;
  Failure.compare_exchange_strong(None, Error);
}

void Device::reset() {
  allWork()->wait();
  modules().unload(Index);
  memory().releaseAll(Index);
  Failure = cudaSuccess;
}

int deviceCount() { return static_cast<int>(devices().size()); }
Device &device(int Index) { return *devices()[Index]; }
bool validDevice(int Index) { return Index >= 0 && Index < deviceCount(); }

Device &currentDevice() { return device(Current); }
int currentDeviceIndex() { return Current; }
void setCurrentDevice(int Index) { Current = Index; }

} // namespace gmprof::cpu::api
