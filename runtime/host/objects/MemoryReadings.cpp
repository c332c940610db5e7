//===- MemoryReadings.cpp - Memory in use as the driver counts it ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/MemoryReadings.h"
#include "host/core/Device.h"
#include <algorithm>
#include <dlfcn.h>
#include <unistd.h>

namespace gmprof::host {

using log::MemoryMoment;
using log::ObjectKind;

/// Returns true for the kinds that take memory of a device.
static bool isOnDevice(ObjectKind Kind) {
  return Kind != ObjectKind::Pinned && Kind != ObjectKind::Pool &&
         Kind != ObjectKind::GlobalVariable && Kind != ObjectKind::Constant;
}

MemoryReadings::MemoryReadings(Recorder &Log, const DriverApi &Api, CallPaths &Paths, Objects &Of,
                               bool OnCpu)
    : Log(Log), Api(Api), Paths(Paths), OnCpu(OnCpu) {
  Of.beforeRelease([this](const LiveObject &Gone) { releasing(Gone); });
}

MemoryReadings::State *MemoryReadings::stateOf(int Device) {
  const bool Exists = Device >= 0 && static_cast<size_t>(Device) < States.size();
  return Exists && Api.cuMemGetInfo && !Ended.load(std::memory_order_acquire) ? &States[Device]
                                                                              : nullptr;
}

void MemoryReadings::allocated(const LiveObject &O) {
  State *S = isOnDevice(O.Kind) ? stateOf(O.Device) : nullptr;
  if (!S)
    return;
  S->Changes.fetch_add(1, std::memory_order_relaxed);
  const uint64_t Now = S->InUse.fetch_add(O.Bytes, std::memory_order_relaxed) + O.Bytes;
  const uint64_t Known = S->Highest.load(std::memory_order_relaxed);
  if (!S->Context.load(std::memory_order_acquire))
    read(O.Device, MemoryMoment::First);
  else if (Now > Known + Known / 4)
    read(O.Device, MemoryMoment::Growth);
}

void MemoryReadings::releasing(const LiveObject &O) {
  State *S = isOnDevice(O.Kind) ? stateOf(O.Device) : nullptr;
  if (!S)
    return;
  S->Changes.fetch_add(1, std::memory_order_relaxed);
  const uint64_t Known = S->Highest.load(std::memory_order_relaxed);
  if (S->InUse.load(std::memory_order_relaxed) > Known + Known / 64)
    read(O.Device, MemoryMoment::Growth);
  uint64_t Now = S->InUse.load(std::memory_order_relaxed);
  while (!S->InUse.compare_exchange_weak(Now, Now - std::min(Now, O.Bytes)))
    ;
}

void MemoryReadings::failed(const NewObject &Wanted) {
  if (!isOnDevice(Wanted.Kind) || !stateOf(Wanted.Device))
    return;
  log::FailedAllocationRecord R = {};
  R.timeNs = steadyNs();
  R.bytes = Wanted.Requested ? Wanted.Requested : Wanted.Bytes;
  R.kind = Wanted.Kind;
  R.device = static_cast<uint32_t>(Wanted.Device);
  R.callPath = Paths.find(Wanted.Caller);
  R.thread = threadId();
  Log.failedAllocation(R, Wanted.Api);
  read(Wanted.Device, MemoryMoment::Failure);
}

void MemoryReadings::own(int Device, int64_t Bytes) {
  if (State *S = stateOf(Device))
    S->Own.fetch_add(Bytes, std::memory_order_relaxed);
}

void MemoryReadings::deviceReset(int Device) {
  if (State *S = stateOf(Device)) {
    S->Context.store(nullptr, std::memory_order_release);
    for (std::atomic<int64_t> *Each : {&S->Own, &S->Modules})
      Each->store(0, std::memory_order_relaxed);
    S->InUse.store(0, std::memory_order_relaxed);
  }
}

void MemoryReadings::end() {
  for (size_t Device = 0; Device < States.size(); ++Device)
    if (CUcontext Context = States[Device].Context.load(std::memory_order_acquire)) {
      DriverScope Scope(Api, Context);
      read(static_cast<int>(Device), MemoryMoment::End);
    }
  Ended.store(true, std::memory_order_release);
}

/// Returns the memory in use on the current device.
std::optional<uint64_t> MemoryReadings::inUse() const {
  size_t Free = 0, Total = 0;
  RelaxedCapture Relaxed(Api);
  if (Api.cuMemGetInfo(&Free, &Total) != CUDA_SUCCESS)
    return std::nullopt;
  return Total - Free;
}

void MemoryReadings::read(int Device, MemoryMoment Moment) {
  State *S = stateOf(Device);
  CUcontext Context = nullptr;
  if (!S || Api.currentDevice() != Device || Api.cuCtxGetCurrent(&Context) != CUDA_SUCCESS ||
      !Context)
    return;
  RelaxedCapture Relaxed(Api);
  log::MemoryReadingRecord R = {};
  R.timeNs = steadyNs();
  size_t Free = 0, Total = 0;
  if (Api.cuMemGetInfo(&Free, &Total) != CUDA_SUCCESS)
    return;
  R.freeBytes = Free;
  R.totalBytes = Total;
  S->Highest.store(S->InUse.load(std::memory_order_relaxed), std::memory_order_relaxed);
  const auto Limit = [&](CUlimit Which) {
    size_t Value = 0;
    return Api.cuCtxGetLimit && Api.cuCtxGetLimit(&Value, Which) == CUDA_SUCCESS ? Value : 0;
  };
  const auto Attribute = [&](CUdevice_attribute Which) {
    int Value = 0;
    return Api.cuDeviceGetAttribute(&Value, Which, Device) == CUDA_SUCCESS
               ? static_cast<uint64_t>(Value)
               : 0;
  };
  R.printfBytes = Limit(CU_LIMIT_PRINTF_FIFO_SIZE);
  R.heapBytes = Limit(CU_LIMIT_MALLOC_HEAP_SIZE);
  R.stackBytes = Limit(CU_LIMIT_STACK_SIZE) * Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                 Attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  CUmemoryPool Default = nullptr, Current = nullptr;
  const auto Reserved = [&](CUmemoryPool Pool) {
    cuuint64_t Bytes = 0;
    return Pool && Api.cuMemPoolGetAttribute &&
                   Api.cuMemPoolGetAttribute(Pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &Bytes) ==
                       CUDA_SUCCESS
               ? Bytes
               : 0;
  };
  if (Api.cuDeviceGetDefaultMemPool)
    Api.cuDeviceGetDefaultMemPool(&Default, Device);
  if (Api.cuDeviceGetMemPool)
    Api.cuDeviceGetMemPool(&Current, Device);
  R.poolBytes = Reserved(Default) + (Current == Default ? 0 : Reserved(Current));
  cuuint64_t OfGraphs = 0;
  if (Api.cuDeviceGetGraphMemAttribute &&
      Api.cuDeviceGetGraphMemAttribute(Device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &OfGraphs) ==
          CUDA_SUCCESS)
    R.graphBytes = OfGraphs;
  const auto Positive = [](int64_t Bytes) {
    return static_cast<uint64_t>(std::max<int64_t>(Bytes, 0));
  };
  R.ownBytes = Positive(S->Own.load(std::memory_order_relaxed));
  R.moduleBytes = Positive(S->Modules.load(std::memory_order_relaxed));
  // Asking for processes takes milliseconds.
  if (Moment != MemoryMoment::Growth)
    S->Others.store(otherProcesses(Device), std::memory_order_relaxed);
  R.otherBytes = S->Others.load(std::memory_order_relaxed);
  R.device = static_cast<uint32_t>(Device);
  R.moment = Moment;
  Log.memoryReading(R);
  S->Context.store(Context, std::memory_order_release);
}

namespace {

/// The functions of NVML that are used. NVML is part of the driver, but not of every installation.
struct Nvml {
  struct Process { ///< nvmlProcessInfo_t
    unsigned Pid;
    unsigned long long Bytes;
    unsigned Instances[2];
  };
  using Init = int (*)();
  using Handle = int (*)(const char *, void **);
  using Processes = int (*)(void *, unsigned *, Process *);

  Handle ByBus = nullptr;
  Processes Compute = nullptr, Graphics = nullptr;

  Nvml() {
    void *Library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    auto *Start = reinterpret_cast<Init>(Library ? dlsym(Library, "nvmlInit_v2") : nullptr);
    if (!Start || Start() != 0)
      return;
    ByBus = reinterpret_cast<Handle>(dlsym(Library, "nvmlDeviceGetHandleByPciBusId_v2"));
    Compute =
        reinterpret_cast<Processes>(dlsym(Library, "nvmlDeviceGetComputeRunningProcesses_v3"));
    Graphics =
        reinterpret_cast<Processes>(dlsym(Library, "nvmlDeviceGetGraphicsRunningProcesses_v3"));
  }
};

} // namespace

/// Returns UINT64_MAX if unknown: in a container, NVML does not list this process by its number.
uint64_t MemoryReadings::otherProcesses(int Device) const {
  if (OnCpu)
    return 0;
  static const Nvml Library;
  std::array<char, 32> Bus = {};
  void *Of = nullptr;
  if (!Library.ByBus || !Library.Compute || !Library.Graphics || !Api.cuDeviceGetPCIBusId ||
      Api.cuDeviceGetPCIBusId(Bus.data(), Bus.size(), Device) != CUDA_SUCCESS ||
      Library.ByBus(Bus.data(), &Of) != 0)
    return UINT64_MAX;
  constexpr unsigned Most = 128;
  std::array<Nvml::Process, Most> All;
  uint64_t Others = 0;
  bool FoundSelf = false;
  for (const Nvml::Processes List : {Library.Compute, Library.Graphics}) {
    unsigned Count = Most;
    if (List(Of, &Count, All.data()) != 0)
      return UINT64_MAX;
    for (unsigned I = 0; I < Count; ++I)
      if (All[I].Pid == static_cast<unsigned>(getpid()))
        FoundSelf = true;
      else if (All[I].Bytes == UINT64_MAX) // not available
        return UINT64_MAX;
      else
        Others += All[I].Bytes;
  }
  return FoundSelf ? Others : UINT64_MAX;
}

MemoryReadings::Loading::Loading(MemoryReadings *Of, Step Done) : S(Of), Done(Done) {
  if (!S)
    return;
  const int Current = S->Api.currentDevice();
  const State *Now = S->stateOf(Current);
  if (!Now || !Now->Context.load(std::memory_order_acquire))
    return;
  Changes = Now->Changes.load(std::memory_order_relaxed);
  if (const std::optional<uint64_t> Bytes = S->inUse()) {
    Device = Current;
    Before = *Bytes;
  }
}

MemoryReadings::Loading::~Loading() {
  State *Now = Device < 0 ? nullptr : S->stateOf(Device);
  const std::optional<uint64_t> After = Now ? S->inUse() : std::nullopt;
  if (!After || Now->Changes.load(std::memory_order_relaxed) != Changes)
    return;
  const bool Loads = Done == Step::Load || Done == Step::LoadOwn;
  if (Loads ? *After > Before : *After < Before)
    (Done == Step::Load || Done == Step::Unload ? Now->Modules : Now->Own)
        .fetch_add(static_cast<int64_t>(*After - Before), std::memory_order_relaxed);
}

} // namespace gmprof::host
