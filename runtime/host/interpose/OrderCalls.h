//===- OrderCalls.h - Calls that order work and wait ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that order the work of streams, wait for it, and reset devices.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_ORDERCALLS_H
#define GMPROF_HOST_INTERPOSE_ORDERCALLS_H

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/sync/WhatIf.h"
#include <optional>
#include <vector>

namespace gmprof::host {

struct OrderCall {
  log::OrderKind Kind;
  cudaStream_t Stream = nullptr;
  cudaEvent_t Event = nullptr;
  bool NonBlocking = false;
  const void *Caller = nullptr; ///< of waits
  bool ByDriver = false;
};

inline OrderCall ofDriver(OrderCall Call) {
  Call.ByDriver = true;
  return Call;
}

/// Describes the call for profiles of synchronisation.
inline ApiCalls::Call observed(const OrderCall &What) {
  static constexpr struct {
    log::CallKind Kind;
    const char *Runtime, *Driver;
  } Names[] = {{log::CallKind::StreamCreated, "cudaStreamCreate", "cuStreamCreate"},
               {log::CallKind::StreamDestroyed, "cudaStreamDestroy", "cuStreamDestroy"},
               {log::CallKind::EventRecorded, "cudaEventRecord", "cuEventRecord"},
               {log::CallKind::EventDestroyed, "cudaEventDestroy", "cuEventDestroy"},
               {log::CallKind::StreamWaitsEvent, "cudaStreamWaitEvent", "cuStreamWaitEvent"},
               {log::CallKind::StreamSynchronized, "cudaStreamSynchronize", "cuStreamSynchronize"},
               {log::CallKind::EventSynchronized, "cudaEventSynchronize", "cuEventSynchronize"},
               {log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize", "cuCtxSynchronize"}};
  const auto &[Kind, Runtime, Driver] = Names[static_cast<size_t>(What.Kind)];
  return {Kind,        What.ByDriver ? Driver : Runtime,
          What.Caller, What.Stream,
          What.Event,  What.NonBlocking};
}

inline void record(Session &S, uint64_t BeginNs, const OrderCall &Call) {
  log::OrderRecord R = {};
  R.beginNs = BeginNs;
  R.endNs = steadyNs();
  R.stream = reinterpret_cast<uint64_t>(Call.Stream);
  R.event = reinterpret_cast<uint64_t>(Call.Event);
  R.kind = Call.Kind;
  R.device = static_cast<uint32_t>(S.driver().currentDevice());
  R.nonBlocking = Call.NonBlocking;
  R.callPath = S.callPaths().find(Call.Caller);
  R.thread = threadId();
  S.log().order(R);
}

/// Makes the program's call and records it.
template <typename Call> cudaError_t ordered(const OrderCall &What, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  const ApiCalls::Call Of = observed(What);
  if (WhatIf *W = WhatIf::active()) {
    const WhatIf::Instead Do = W->instead(Of.Api, What.Caller);
    if (Do == WhatIf::Instead::NoWait ||
        (Do == WhatIf::Instead::WaitLate && !WhatIf::waitsNow(Of.Kind, What.Stream, What.Event)))
      return cudaSuccess;
  }
  ObservedCall Observed(Of);
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  Observed.returned(Error);
  if (LateWaits *L = LateWaits::active())
    L->waited(Of.Kind, What.Stream);
  if (Session *S = Error == cudaSuccess ? Session::current() : nullptr)
    record(*S, Begin, What);
  return Error;
}

/// Interposes the same for a stream that may be captured.
template <typename Call> cudaError_t enqueued(const OrderCall &What, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed(observed(What));
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  Observed.returned(Error);
  Session *S = Error == cudaSuccess ? Session::current() : nullptr;
  if (S && !S->capturing(What.Stream))
    record(*S, Begin, What);
  return Error;
}

/// Interposes a wait of the host.
template <typename Call> cudaError_t waited(const OrderCall &What, Call Plain) {
  if (Inside::now())
    return Plain();
  cudaError_t Error = ordered(What, Plain);
  Inside Guard;
  if (Session *S = Session::current())
    S->poll();
  return Error;
}

template <typename Call>
cudaError_t created(const cudaStream_t *Stream, const char *Api, bool NonBlocking, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed(
      {log::CallKind::StreamCreated, Api, nullptr, nullptr, nullptr, NonBlocking});
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  if (Error == cudaSuccess)
    Observed.setStream(*Stream);
  Observed.returned(Error);
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr)
    record(*S, Begin, {log::OrderKind::StreamCreated, *Stream, nullptr, NonBlocking});
  return Error;
}

/// Handles a stream that is about to be destroyed.
inline void destroying(cudaStream_t Stream) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->streamDestroyed(Stream);
  }
}

/// Interposes a measurement between events that have ended, which implies that the host has waited
/// for End.
template <typename Call>
cudaError_t elapsed(const void *Caller, const char *Api, cudaEvent_t End, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed({log::CallKind::EventRead, Api, Caller, nullptr, End});
  cudaError_t Error = Plain();
  Observed.returned(Error);
  return Error;
}

/// Makes moved waits first, so that the answer is the same as in the unmodified program.
template <typename Call> cudaError_t queried(Call Plain) {
  LateWaits *L = Inside::now() ? nullptr : LateWaits::active();
  if (!L)
    return Plain();
  Inside Guard;
  L->finish();
  return Plain();
}

/// Interposes a call that submits a host function to a stream.
template <typename Call>
cudaError_t calledBack(const char *Api, const void *Caller, cudaStream_t Stream, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  if (LateWaits *L = LateWaits::active())
    L->notKnown("a function of the host was put into a stream, and what that does is not known");
  ApiCalls::Call Of = {log::CallKind::HostFunction, Api, Caller, Stream};
  Of.UsesHost = true;
  ObservedCall Observed(Of);
  cudaError_t Error = Plain();
  Observed.returned(Error);
  return Error;
}

template <typename Call> cudaError_t waitedForDevice(const OrderCall &What, Call Plain) {
  cudaError_t Error = ordered(What, Plain);
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->deviceIdle();
  }
  return Error;
}

/// Interposes a reset. Device: the device that is reset, if any.
template <typename Which, typename Call>
cudaError_t reset(const void *Caller, const char *Api, Which Device, Call Plain) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  if (WhatIf *W = WhatIf::active())
    W->forgetKept();
  if (LateWaits *L = LateWaits::active())
    L->finish();
  if (!S)
    return Plain();
  std::vector<Objects::Removed> Gone;
  if (std::optional<int> Ordinal = Device(*S))
    Gone = S->deviceReset(*Ordinal, Caller);
  cudaError_t Error = Plain();
  for (const Objects::Removed &Each : Gone)
    S->released(Each, Api, 0);
  return Error;
}

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_ORDERCALLS_H
