//===- Device.cpp - A device of the program, as profiling uses it ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Device.h"
#include "host/core/RealSystem.h"
#include "host/core/Session.h"
#include <cstring>
#include <sys/mman.h>

namespace gmprof::host {

DriverScope::DriverScope(const DriverApi &Api, CUcontext Context) : Api(Api), Relaxed(Api) {
  CUcontext Current = nullptr;
  if (Api.cuCtxGetCurrent(&Current) == CUDA_SUCCESS && Current != Context)
    Pushed = Api.cuCtxPushCurrent(Context) == CUDA_SUCCESS;
}

DriverScope::~DriverScope() {
  CUcontext Popped = nullptr;
  if (Pushed)
    Api.cuCtxPopCurrent(&Popped);
}

/// Handles of devices are their numbers.
static DeviceFacts describeDevice(const DriverApi &Api, CUdevice Ordinal) {
  auto Attribute = [&](CUdevice_attribute Which) {
    int Value = 0;
    return Api.cuDeviceGetAttribute(&Value, Which, Ordinal) == CUDA_SUCCESS ? Value : 0;
  };
  DeviceFacts Facts;
  Facts.Id = Ordinal;
  char Name[256];
  if (Api.cuDeviceGetName(Name, sizeof(Name), Ordinal) == CUDA_SUCCESS)
    Facts.Name = Name;
  Facts.OnCpu = settings().DeviceKind == "cpu";
  Facts.Major = Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  Facts.Minor = Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  Facts.Sms = Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  Facts.SharedOptin = Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  Facts.SharedPerSm = Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  Facts.SharedReserved = Attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  Facts.ThreadsPerSm = Attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  // Memory transfers data twice a clock, which is in kHz. What the CPU device says of that has
  // nothing to do with the GPU whose architecture it has.
  if (!Facts.OnCpu)
    Facts.MemoryBytesPerSecond =
        uint64_t(2000) * static_cast<uint64_t>(Attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) *
        (static_cast<uint64_t>(Attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)) / 8);
  return Facts;
}

Device::Device(const DriverApi &Api, int Ordinal)
    : Api(Api), Facts(describeDevice(Api, Ordinal)),
      Memory([this](size_t Bytes) { return allocateZeroed(Bytes); }),
      Pinned([this](size_t Bytes) { return allocatePinned(Bytes); }) {}

std::unique_ptr<Device> Device::open(const DriverApi &Api, int Ordinal, std::string &Why) {
  std::unique_ptr<Device> D(new Device(Api, Ordinal));
  CUresult Error = Api.cuCtxGetCurrent(&D->Context);
  if (Error == CUDA_SUCCESS && !D->Context)
    Error = CUDA_ERROR_INVALID_CONTEXT;
  if (Error == CUDA_SUCCESS) {
    DriverScope Scope(Api, D->Context);
    Error = Api.cuStreamCreate(&D->Stream, CU_STREAM_NON_BLOCKING);
    if (Error == CUDA_SUCCESS)
      Error = Api.cuStreamCreate(&D->ReadStream, CU_STREAM_NON_BLOCKING);
    if (Error == CUDA_SUCCESS)
      Error = Api.cuEventCreate(&D->Zeroed, CU_EVENT_DISABLE_TIMING);
  }
  if (Error == CUDA_SUCCESS)
    return D;
  Why = "no stream could be made for profiling: " + describe(Error);
  return nullptr;
}

std::optional<uint64_t> Device::allocateZeroed(size_t Bytes) {
  CUdeviceptr Address = 0;
  MemoryError = Api.cuMemAlloc(&Address, Bytes);
  if (MemoryError == CUDA_SUCCESS)
    MemoryError = Api.cuMemsetD8Async(Address, 0, Bytes, Stream);
  if (MemoryError == CUDA_SUCCESS)
    MemoryError = zeroing();
  if (MemoryError != CUDA_SUCCESS)
    return std::nullopt;
  countMemory(static_cast<int64_t>(Bytes));
  return Address;
}

void Device::countMemory(int64_t Bytes) const {
  if (MemoryReadings *R = Session::currentReadings())
    R->own(ordinal(), Bytes);
}

CUresult Device::zeroing() {
  CUresult Error = Api.cuEventRecord(Zeroed, Stream);
  ZeroPending |= Error == CUDA_SUCCESS;
  return Error;
}

CUresult Device::upload(uint64_t To, uint64_t From, size_t Bytes) {
  CUresult Error = Api.cuMemcpyHtoDAsync(To, reinterpret_cast<const void *>(From), Bytes, Stream);
  return Error == CUDA_SUCCESS ? zeroing() : Error;
}

std::optional<uint64_t> Device::allocatePinned(size_t Bytes) {
  void *Address = nullptr;
  MemoryError = Api.cuMemAllocHost(&Address, Bytes);
  if (MemoryError != CUDA_SUCCESS)
    return std::nullopt;
  std::memset(Address, 0, Bytes);
  return reinterpret_cast<uint64_t>(Address);
}

CUresult Device::waitForZero(CUstream Waiting, bool Capturing) {
  if (!ZeroPending)
    return CUDA_SUCCESS;
  CUresult State = Api.cuEventQuery(Zeroed);
  if (State == CUDA_SUCCESS)
    ZeroPending = false;
  if (State != CUDA_ERROR_NOT_READY)
    return State;
  return Capturing ? CUDA_SUCCESS : Api.cuStreamWaitEvent(Waiting, Zeroed, 0);
}

CUevent Device::takeEvent() {
  if (!Events.empty()) {
    CUevent Event = Events.back();
    Events.pop_back();
    return Event;
  }
  CUevent Event = nullptr;
  return Api.cuEventCreate(&Event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS ? Event : nullptr;
}

} // namespace gmprof::host
