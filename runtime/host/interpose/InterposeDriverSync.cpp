//===- InterposeDriverSync.cpp - Streams, events and waits of the driver --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes streams, events and waits of the driver, as InterposeSync.cpp those of libcudart.
//
//===----------------------------------------------------------------------===//

#include "host/interpose/DriverHooks.h"
#include "host/interpose/OrderCalls.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <map>
#include <optional>

using namespace gmprof;
using namespace gmprof::host;
using log::OrderKind;

namespace gmprof::host {
namespace {

/// Counts the observed references to the device's primary context, from programs and static
/// runtimes, after one was added or removed. Returns the count.
int primaryRetained(CUdevice Device, int Change) {
  static Mutex Lock;
  static auto &Held = *new std::map<CUdevice, int>; // cuBLAS calls while it is unloaded at exit
  LockGuard Guard(Lock);
  int &Of = Held[Device];
  return Of = std::max(Of + Change, 0);
}

/// Returns true if the program has the shared runtime, which also holds the primary context, by
/// calls that are not observed.
bool sharedRuntime() { return realFunction(RuntimeFunction::cudaFree) != nullptr; }

} // namespace
} // namespace gmprof::host

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
