//===- InterposeSync.cpp - Streams, events and waits of libcudart ---------===//
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

#include "host/interpose/OrderCalls.h"

using namespace gmprof;
using namespace gmprof::host;
using log::OrderKind;

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
