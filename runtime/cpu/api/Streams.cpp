//===- Streams.cpp - Streams ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Streams.h"
#include "cpu/api/Device.h"
#include "cpu/api/PerThread.h"
#include <algorithm>

namespace gmprof::cpu::api {

namespace {

HandleTable<Stream> &table() {
  static HandleTable<Stream> &Streams = *new HandleTable<Stream>;
  return Streams;
}

/// Per-thread default streams, one per device, created at the first use.
struct ThreadStreams {
  std::vector<std::shared_ptr<Stream>> OfDevice;

  ~ThreadStreams() {
    for (const std::shared_ptr<Stream> &S : OfDevice)
      if (S)
        S->Dev.dropStream(*S);
  }
};

std::shared_ptr<Stream> perThreadStream() {
  auto &Mine = ofThread<ThreadStreams>();
  Mine.OfDevice.resize(deviceCount());
  std::shared_ptr<Stream> &S = Mine.OfDevice[currentDeviceIndex()];
  if (!S)
    S = currentDevice().createStream(cudaStreamDefault, 0);
  return S;
}

uint64_t nextId() {
  static std::atomic<uint64_t> Next{1};
  return Next++;
}

} // namespace

Stream::Stream(api::Device &Dev, unsigned Flags, int Priority, bool Legacy)
    : Dev(Dev), Flags(Flags), Priority(Priority), Legacy(Legacy), Id(nextId()) {}

std::shared_ptr<Stream> findStream(cudaStream_t Handle, DefaultStream Default) {
  if (Handle == cudaStreamLegacy || (!Handle && Default == DefaultStream::Legacy))
    return currentDevice().Legacy;
  if (Handle == cudaStreamPerThread || !Handle)
    return perThreadStream();
  return table().find(Handle);
}

cudaError_t createStream(cudaStream_t *Handle, unsigned Flags, int Priority) {
  if (!Handle || (Flags & ~unsigned(cudaStreamNonBlocking)))
    return cudaErrorInvalidValue;
  Priority = std::clamp(Priority, GreatestPriority, LeastPriority);
  *Handle = static_cast<cudaStream_t>(table().add(currentDevice().createStream(Flags, Priority)));
  return cudaSuccess;
}

cudaError_t destroyStream(cudaStream_t Handle) {
  std::shared_ptr<Stream> S = table().remove(Handle);
  if (!S)
    return cudaErrorInvalidResourceHandle;
  S->Dev.dropStream(*S);
  return cudaSuccess;
}

} // namespace gmprof::cpu::api
