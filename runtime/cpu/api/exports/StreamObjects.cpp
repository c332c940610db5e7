//===- StreamObjects.cpp - Stream and event objects -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Capture.h"
#include "cpu/api/Events.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

constexpr unsigned EventFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t newEvent(cudaEvent_t *Out, unsigned Flags) {
  return call([&] {
    if (!Out || (Flags & ~EventFlags))
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaEvent_t>(
        events().add(std::make_shared<Event>(Flags, currentDeviceIndex())));
    return cudaSuccess;
  });
}

template <typename F> cudaError_t callOnEvent(cudaEvent_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<Event> E = events().find(Handle);
    return E ? Body(*E) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace

cudaError_t cudaStreamCreate(cudaStream_t *Out) {
  return call([&] { return createStream(Out, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Out, unsigned Flags) {
  return call([&] { return createStream(Out, Flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Out, unsigned Flags, int Priority) {
  return call([&] { return createStream(Out, Flags, Priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t Handle) {
  return call([&] { return destroyStream(Handle); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  return call([&] {
    if (!Mode || *Mode < cudaStreamCaptureModeGlobal || *Mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    *Mode = exchangeThreadMode(*Mode);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *Out) { return newEvent(Out, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Out, unsigned Flags) {
  return newEvent(Out, Flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t Handle) {
  return call(
      [&] { return events().remove(Handle) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventQuery(cudaEvent_t Handle) {
  return callOnEvent(Handle, [](Event &E) {
    if (cudaError_t Error = refuseWaiting(E))
      return Error;
    return E.query();
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t Handle) {
  return callOnEvent(Handle, [](Event &E) {
    if (cudaError_t Error = refuseWaiting(E))
      return Error;
    if (TaskRef Last = E.lastRecord())
      Last->wait();
    return device(E.Device).failure();
  });
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t From, cudaEvent_t To) {
  return call([&] {
    if (!Milliseconds)
      return cudaErrorInvalidValue;
    std::shared_ptr<Event> Start = events().find(From), End = events().find(To);
    if (!Start || !End)
      return cudaErrorInvalidResourceHandle;
    return End->elapsedSince(*Start, *Milliseconds);
  });
}
