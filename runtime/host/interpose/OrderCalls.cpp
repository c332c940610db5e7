//===- OrderCalls.cpp - Calls that order work and wait --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/interpose/OrderCalls.h"
#include "host/sync/WhatIf.h"
#include <vector>

namespace gmprof::host {

/// Describes the call for profiles of synchronisation.
static ApiCalls::Call observed(const OrderCall &What) {
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

static void record(Session &S, uint64_t BeginNs, const OrderCall &Call) {
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

cudaError_t ordered(const OrderCall &What, FunctionRef<cudaError_t()> Plain) {
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

cudaError_t enqueued(const OrderCall &What, FunctionRef<cudaError_t()> Plain) {
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

cudaError_t waited(const OrderCall &What, FunctionRef<cudaError_t()> Plain) {
  if (Inside::now())
    return Plain();
  cudaError_t Error = ordered(What, Plain);
  Inside Guard;
  if (Session *S = Session::current())
    S->poll();
  return Error;
}

cudaError_t created(const cudaStream_t *Stream, const char *Api, bool NonBlocking,
                    FunctionRef<cudaError_t()> Plain) {
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

void destroying(cudaStream_t Stream) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->streamDestroyed(Stream);
  }
}

cudaError_t elapsed(const void *Caller, const char *Api, cudaEvent_t End,
                    FunctionRef<cudaError_t()> Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed({log::CallKind::EventRead, Api, Caller, nullptr, End});
  cudaError_t Error = Plain();
  Observed.returned(Error);
  return Error;
}

cudaError_t queried(FunctionRef<cudaError_t()> Plain) {
  LateWaits *L = Inside::now() ? nullptr : LateWaits::active();
  if (!L)
    return Plain();
  Inside Guard;
  L->finish();
  return Plain();
}

cudaError_t calledBack(const char *Api, const void *Caller, cudaStream_t Stream,
                       FunctionRef<cudaError_t()> Plain) {
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

cudaError_t waitedForDevice(const OrderCall &What, FunctionRef<cudaError_t()> Plain) {
  cudaError_t Error = ordered(What, Plain);
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->deviceIdle();
  }
  return Error;
}

cudaError_t reset(const void *Caller, const char *Api,
                  FunctionRef<std::optional<int>(Session &)> Device,
                  FunctionRef<cudaError_t()> Plain) {
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
