//===- InterposeSync.cpp - Streams, events and waits ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes operations on streams and events, and waits. Operations that order the work of streams
// are recorded, except while they become part of a graph. Counts are collected where the program
// has waited anyway. Queries are not recorded, because programs poll with them; only moved waits
// (LateWaits.h) are made first.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/sync/WhatIf.h"
#include <map>
#include <mutex>
#include <optional>

using namespace gmprof;
using namespace gmprof::host;
using log::OrderKind;

namespace {

struct OrderCall {
  OrderKind Kind;
  cudaStream_t Stream = nullptr;
  cudaEvent_t Event = nullptr;
  bool NonBlocking = false;
  const void *Caller = nullptr; ///< of waits
  bool ByDriver = false;
};

OrderCall ofDriver(OrderCall Call) {
  Call.ByDriver = true;
  return Call;
}

/// Describes the call for profiles of synchronisation.
ApiCalls::Call observed(const OrderCall &What) {
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

void record(Session &S, uint64_t BeginNs, const OrderCall &Call) {
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
    record(*S, Begin, {OrderKind::StreamCreated, *Stream, nullptr, NonBlocking});
  return Error;
}

/// Handles a stream that is about to be destroyed.
void destroying(cudaStream_t Stream) {
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

/// Counts the observed references to the device's primary context, from programs and static
/// runtimes, after one was added or removed. Returns the count.
int primaryRetained(CUdevice Device, int Change) {
  static std::mutex Lock;
  static auto &Held = *new std::map<CUdevice, int>; // cuBLAS calls while it is unloaded at exit
  std::lock_guard<std::mutex> Guard(Lock);
  int &Of = Held[Device];
  return Of = std::max(Of + Change, 0);
}

/// The shared runtime also holds the primary context, by calls that are not observed.
bool sharedRuntime() { return realFunction(RuntimeFunction::cudaFree) != nullptr; }

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

} // namespace

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaStreamCreate(cudaStream_t *Stream) {
  return created(Stream, "cudaStreamCreate", false,
                 [&] { return GMPROF_REAL(cudaStreamCreate, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Stream, unsigned Flags) {
  return created(Stream, "cudaStreamCreate", (Flags & cudaStreamNonBlocking) != 0,
                 [&] { return GMPROF_REAL(cudaStreamCreateWithFlags, Stream, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Stream, unsigned Flags,
                                                          int Priority) {
  return created(Stream, "cudaStreamCreate", (Flags & cudaStreamNonBlocking) != 0, [&] {
    return GMPROF_REAL(cudaStreamCreateWithPriority, Stream, Flags, Priority);
  });
}

GMPROF_INTERPOSE cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  destroying(Stream);
  return ordered({OrderKind::StreamDestroyed, Stream},
                 [&] { return GMPROF_REAL(cudaStreamDestroy, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamWaitEvent(cudaStream_t Stream, cudaEvent_t Event,
                                                 unsigned Flags) {
  return enqueued({OrderKind::StreamWaitsEvent, Stream, Event},
                  [&] { return GMPROF_REAL(cudaStreamWaitEvent, Stream, Event, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t Stream, cudaEvent_t Event,
                                                      unsigned Flags) {
  return enqueued({OrderKind::StreamWaitsEvent, perThread(Stream), Event},
                  [&] { return GMPROF_REAL(cudaStreamWaitEvent_ptsz, Stream, Event, Flags); });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream) {
  return enqueued({OrderKind::EventRecorded, Stream, Event},
                  [&] { return GMPROF_REAL(cudaEventRecord, Event, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaEventRecord_ptsz(cudaEvent_t Event, cudaStream_t Stream) {
  return enqueued({OrderKind::EventRecorded, perThread(Stream), Event},
                  [&] { return GMPROF_REAL(cudaEventRecord_ptsz, Event, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaEventRecordWithFlags(cudaEvent_t Event, cudaStream_t Stream,
                                                      unsigned Flags) {
  return enqueued({OrderKind::EventRecorded, Stream, Event},
                  [&] { return GMPROF_REAL(cudaEventRecordWithFlags, Event, Stream, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t Event, cudaStream_t Stream,
                                                           unsigned Flags) {
  return enqueued({OrderKind::EventRecorded, perThread(Stream), Event},
                  [&] { return GMPROF_REAL(cudaEventRecordWithFlags_ptsz, Event, Stream, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start,
                                                  cudaEvent_t End) {
  return elapsed(GMPROF_CALLER, "cudaEventElapsedTime", End,
                 [&] { return GMPROF_REAL(cudaEventElapsedTime, Milliseconds, Start, End); });
}

GMPROF_INTERPOSE cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  return ordered({OrderKind::EventDestroyed, nullptr, Event},
                 [&] { return GMPROF_REAL(cudaEventDestroy, Event); });
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaDeviceSynchronize() {
  return waitedForDevice({OrderKind::DeviceSynchronized, nullptr, nullptr, false, GMPROF_CALLER},
                         [&] { return GMPROF_REAL(cudaDeviceSynchronize); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamSynchronize(cudaStream_t Stream) {
  return waited({OrderKind::StreamSynchronized, Stream, nullptr, false, GMPROF_CALLER},
                [&] { return GMPROF_REAL(cudaStreamSynchronize, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t Stream) {
  return waited({OrderKind::StreamSynchronized, perThread(Stream), nullptr, false, GMPROF_CALLER},
                [&] { return GMPROF_REAL(cudaStreamSynchronize_ptsz, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t Event) {
  return waited({OrderKind::EventSynchronized, nullptr, Event, false, GMPROF_CALLER},
                [&] { return GMPROF_REAL(cudaEventSynchronize, Event); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamQuery(cudaStream_t Stream) {
  return queried([&] { return GMPROF_REAL(cudaStreamQuery, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamQuery_ptsz(cudaStream_t Stream) {
  return queried([&] { return GMPROF_REAL(cudaStreamQuery_ptsz, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaEventQuery(cudaEvent_t Event) {
  return queried([&] { return GMPROF_REAL(cudaEventQuery, Event); });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchHostFunc(cudaStream_t Stream, cudaHostFn_t Function,
                                                void *Data) {
  return calledBack("cudaLaunchHostFunc", GMPROF_CALLER, Stream,
                    [&] { return GMPROF_REAL(cudaLaunchHostFunc, Stream, Function, Data); });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t Stream, cudaHostFn_t Function,
                                                     void *Data) {
  return calledBack("cudaLaunchHostFunc", GMPROF_CALLER, perThread(Stream),
                    [&] { return GMPROF_REAL(cudaLaunchHostFunc_ptsz, Stream, Function, Data); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamAddCallback(cudaStream_t Stream,
                                                   cudaStreamCallback_t Function, void *Data,
                                                   unsigned Flags) {
  return calledBack("cudaStreamAddCallback", GMPROF_CALLER, Stream, [&] {
    return GMPROF_REAL(cudaStreamAddCallback, Stream, Function, Data, Flags);
  });
}

GMPROF_INTERPOSE cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t Stream,
                                                        cudaStreamCallback_t Function, void *Data,
                                                        unsigned Flags) {
  return calledBack("cudaStreamAddCallback", GMPROF_CALLER, perThread(Stream), [&] {
    return GMPROF_REAL(cudaStreamAddCallback_ptsz, Stream, Function, Data, Flags);
  });
}

GMPROF_INTERPOSE cudaError_t cudaDeviceReset() {
  return reset(
      GMPROF_CALLER, "cudaDeviceReset",
      [](Session &S) { return std::optional(S.driver().currentDevice()); },
      [&] { return GMPROF_REAL(cudaDeviceReset); });
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE_DRIVER(cuStreamCreate, (CUstream * Stream, unsigned Flags)) {
  return static_cast<CUresult>(
      created(Stream, "cuStreamCreate", (Flags & CU_STREAM_NON_BLOCKING) != 0,
              [&] { return GMPROF_REAL_DRIVER(cuStreamCreate, Stream, Flags); }));
}

GMPROF_INTERPOSE_DRIVER(cuStreamCreateWithPriority,
                        (CUstream * Stream, unsigned Flags, int Priority)) {
  return static_cast<CUresult>(
      created(Stream, "cuStreamCreate", (Flags & CU_STREAM_NON_BLOCKING) != 0, [&] {
        return GMPROF_REAL_DRIVER(cuStreamCreateWithPriority, Stream, Flags, Priority);
      }));
}

GMPROF_INTERPOSE_DRIVER(cuGreenCtxStreamCreate,
                        (CUstream * Stream, CUgreenCtx Context, unsigned Flags, int Priority)) {
  return static_cast<CUresult>(
      created(Stream, "cuStreamCreate", (Flags & CU_STREAM_NON_BLOCKING) != 0, [&] {
        return GMPROF_REAL_DRIVER(cuGreenCtxStreamCreate, Stream, Context, Flags, Priority);
      }));
}

#define GMPROF_DRIVER_STREAM_DESTROY(name)                                                         \
  GMPROF_INTERPOSE_DRIVER(name, (CUstream Stream)) {                                               \
    destroying(Stream);                                                                            \
    return static_cast<CUresult>(ordered(ofDriver({OrderKind::StreamDestroyed, Stream}),           \
                                         [&] { return GMPROF_REAL_DRIVER(name, Stream); }));       \
  }
GMPROF_DRIVER_STREAM_DESTROY(cuStreamDestroy_v1)
GMPROF_DRIVER_STREAM_DESTROY(cuStreamDestroy_v2)

/// Defines a function and its _ptsz form. Stream: expression of the stream.
#define GMPROF_UNWRAP(...) __VA_ARGS__
#define GMPROF_DRIVER_ORDER(name, how, kind, event, parameters, arguments)                         \
  GMPROF_DRIVER_ORDER_IN(name, how, kind, Given, event, parameters, arguments)                     \
  GMPROF_DRIVER_ORDER_IN(name##_ptsz, how, kind, perThread(Given), event, parameters, arguments)
#define GMPROF_DRIVER_ORDER_IN(name, how, kind, stream, event, parameters, arguments)              \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(                                                                  \
        how(ofDriver({OrderKind::kind, stream, event, false, GMPROF_CALLER}),                      \
            [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); }));                   \
  }

GMPROF_DRIVER_ORDER(cuStreamWaitEvent, enqueued, StreamWaitsEvent, Event,
                    (CUstream Given, CUevent Event, unsigned Flags), (Given, Event, Flags))
GMPROF_DRIVER_ORDER(cuEventRecord, enqueued, EventRecorded, Event, (CUevent Event, CUstream Given),
                    (Event, Given))
GMPROF_DRIVER_ORDER(cuEventRecordWithFlags, enqueued, EventRecorded, Event,
                    (CUevent Event, CUstream Given, unsigned Flags), (Event, Given, Flags))
GMPROF_DRIVER_ORDER(cuStreamSynchronize, waited, StreamSynchronized, nullptr, (CUstream Given),
                    (Given))

GMPROF_INTERPOSE_DRIVER(cuEventSynchronize, (CUevent Event)) {
  return static_cast<CUresult>(
      waited(ofDriver({OrderKind::EventSynchronized, nullptr, Event, false, GMPROF_CALLER}),
             [&] { return GMPROF_REAL_DRIVER(cuEventSynchronize, Event); }));
}

#define GMPROF_DRIVER_EVENT_DESTROY(name)                                                          \
  GMPROF_INTERPOSE_DRIVER(name, (CUevent Event)) {                                                 \
    return static_cast<CUresult>(ordered(ofDriver({OrderKind::EventDestroyed, nullptr, Event}),    \
                                         [&] { return GMPROF_REAL_DRIVER(name, Event); }));        \
  }
GMPROF_DRIVER_EVENT_DESTROY(cuEventDestroy_v1)
GMPROF_DRIVER_EVENT_DESTROY(cuEventDestroy_v2)

#define GMPROF_DRIVER_ELAPSED_TIME(name)                                                           \
  GMPROF_INTERPOSE_DRIVER(name, (float *Milliseconds, CUevent Start, CUevent End)) {               \
    return static_cast<CUresult>(elapsed(GMPROF_CALLER, "cuEventElapsedTime", End, [&] {           \
      return GMPROF_REAL_DRIVER(name, Milliseconds, Start, End);                                   \
    }));                                                                                           \
  }
GMPROF_DRIVER_ELAPSED_TIME(cuEventElapsedTime_v1)
GMPROF_DRIVER_ELAPSED_TIME(cuEventElapsedTime_v2)

GMPROF_INTERPOSE_DRIVER(cuCtxSynchronize, ()) {
  return static_cast<CUresult>(waitedForDevice(
      ofDriver({OrderKind::DeviceSynchronized, nullptr, nullptr, false, GMPROF_CALLER}),
      [&] { return GMPROF_REAL_DRIVER(cuCtxSynchronize); }));
}

GMPROF_INTERPOSE_DRIVER(cuCtxSynchronize_v2, (CUcontext Context)) {
  return static_cast<CUresult>(waitedForDevice(
      ofDriver({OrderKind::DeviceSynchronized, nullptr, nullptr, false, GMPROF_CALLER}),
      [&] { return GMPROF_REAL_DRIVER(cuCtxSynchronize_v2, Context); }));
}

GMPROF_INTERPOSE_DRIVER(cuEventQuery, (CUevent Event)) {
  return static_cast<CUresult>(queried([&] { return GMPROF_REAL_DRIVER(cuEventQuery, Event); }));
}

#define GMPROF_DRIVER_STREAM_QUERY(name)                                                           \
  GMPROF_INTERPOSE_DRIVER(name, (CUstream Stream)) {                                               \
    return static_cast<CUresult>(queried([&] { return GMPROF_REAL_DRIVER(name, Stream); }));       \
  }
GMPROF_DRIVER_STREAM_QUERY(cuStreamQuery)
GMPROF_DRIVER_STREAM_QUERY(cuStreamQuery_ptsz)

#define GMPROF_DRIVER_HOST_FUNCTION(name, stream)                                                  \
  GMPROF_INTERPOSE_DRIVER(name, (CUstream Stream, CUhostFn Function, void *Data)) {                \
    return static_cast<CUresult>(calledBack("cuLaunchHostFunc", GMPROF_CALLER, stream, [&] {       \
      return GMPROF_REAL_DRIVER(name, Stream, Function, Data);                                     \
    }));                                                                                           \
  }
GMPROF_DRIVER_HOST_FUNCTION(cuLaunchHostFunc, Stream)
GMPROF_DRIVER_HOST_FUNCTION(cuLaunchHostFunc_ptsz, perThread(Stream))

#define GMPROF_DRIVER_CALLBACK(name, stream)                                                       \
  GMPROF_INTERPOSE_DRIVER(                                                                         \
      name, (CUstream Stream, CUstreamCallback Function, void *Data, unsigned Flags)) {            \
    return static_cast<CUresult>(calledBack("cuStreamAddCallback", GMPROF_CALLER, stream, [&] {    \
      return GMPROF_REAL_DRIVER(name, Stream, Function, Data, Flags);                              \
    }));                                                                                           \
  }
GMPROF_DRIVER_CALLBACK(cuStreamAddCallback, Stream)
GMPROF_DRIVER_CALLBACK(cuStreamAddCallback_ptsz, perThread(Stream))

#define GMPROF_DRIVER_RESET(name)                                                                  \
  GMPROF_INTERPOSE_DRIVER(name, (CUdevice Device)) {                                               \
    return static_cast<CUresult>(reset(                                                            \
        GMPROF_CALLER, "cuDevicePrimaryCtxReset",                                                  \
        [=](Session &) { return std::optional(Device); },                                          \
        [&] { return GMPROF_REAL_DRIVER(name, Device); }));                                        \
  }
GMPROF_DRIVER_RESET(cuDevicePrimaryCtxReset_v1)
GMPROF_DRIVER_RESET(cuDevicePrimaryCtxReset_v2)

#define GMPROF_DRIVER_CONTEXT_DESTROY(name)                                                        \
  GMPROF_INTERPOSE_DRIVER(name, (CUcontext Context)) {                                             \
    return static_cast<CUresult>(reset(                                                            \
        GMPROF_CALLER, "cuCtxDestroy", [=](Session &S) { return S.deviceOf(Context); },            \
        [&] { return GMPROF_REAL_DRIVER(name, Context); }));                                       \
  }
GMPROF_DRIVER_CONTEXT_DESTROY(cuCtxDestroy_v1)
GMPROF_DRIVER_CONTEXT_DESTROY(cuCtxDestroy_v2)

GMPROF_INTERPOSE_DRIVER(cuDevicePrimaryCtxRetain, (CUcontext * Context, CUdevice Device)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuDevicePrimaryCtxRetain, Context, Device);
  if (Error == cudaSuccess && !Inside::now())
    primaryRetained(Device, 1);
  return static_cast<CUresult>(Error);
}

/// Releasing the last reference resets the context.
#define GMPROF_DRIVER_PRIMARY_RELEASE(name)                                                        \
  GMPROF_INTERPOSE_DRIVER(name, (CUdevice Device)) {                                               \
    const bool Last = !Inside::now() && primaryRetained(Device, -1) == 0 && !sharedRuntime();      \
    return static_cast<CUresult>(reset(                                                            \
        GMPROF_CALLER, "cuDevicePrimaryCtxRelease",                                                \
        [=](Session &) { return Last ? std::optional(Device) : std::nullopt; },                    \
        [&] { return GMPROF_REAL_DRIVER(name, Device); }));                                        \
  }
GMPROF_DRIVER_PRIMARY_RELEASE(cuDevicePrimaryCtxRelease_v1)
GMPROF_DRIVER_PRIMARY_RELEASE(cuDevicePrimaryCtxRelease_v2)
