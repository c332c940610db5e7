//===- InterposeSync.cpp - Streams, events and waiting for them -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What orders the work of streams is recorded, but for what becomes part of a graph.
// Counts are looked for where the program has waited anyway. Queries are not
// among either: programs poll with those.
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

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
};

/// As profiles of synchronisation call it.
ApiCalls::Call observed(const OrderCall &What) {
  static constexpr std::pair<log::CallKind, const char *> Names[] = {
      {log::CallKind::StreamCreated, "cudaStreamCreate"},
      {log::CallKind::StreamDestroyed, "cudaStreamDestroy"},
      {log::CallKind::EventRecorded, "cudaEventRecord"},
      {log::CallKind::EventDestroyed, "cudaEventDestroy"},
      {log::CallKind::StreamWaitsEvent, "cudaStreamWaitEvent"},
      {log::CallKind::StreamSynchronized, "cudaStreamSynchronize"},
      {log::CallKind::EventSynchronized, "cudaEventSynchronize"},
      {log::CallKind::DeviceSynchronized, "cudaDeviceSynchronize"}};
  const auto &[Kind, Api] = Names[static_cast<size_t>(What.Kind)];
  return {Kind, Api, What.Caller, What.Stream, What.Event, What.NonBlocking};
}

void record(Session &S, uint64_t BeginNs, const OrderCall &Call) {
  log::OrderRecord R = {};
  R.beginNs = BeginNs;
  R.endNs = steadyNs();
  R.stream = reinterpret_cast<uint64_t>(Call.Stream);
  R.event = reinterpret_cast<uint64_t>(Call.Event);
  R.kind = Call.Kind;
  int Device = 0;
  GMPROF_REAL(cudaGetDevice, &Device);
  R.device = static_cast<uint32_t>(Device);
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
  ObservedCall Observed(observed(What));
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  Observed.returned(Error);
  if (Session *S = Error == cudaSuccess ? Session::current() : nullptr)
    record(*S, Begin, What);
  return Error;
}

/// Likewise, in a stream that may be captured.
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

/// A wait of the host.
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
cudaError_t created(const cudaStream_t *Stream, bool NonBlocking, Call Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed(
      {log::CallKind::StreamCreated, "cudaStreamCreate", nullptr, nullptr, nullptr, NonBlocking});
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  if (Error == cudaSuccess)
    Observed.setStream(*Stream);
  Observed.returned(Error);
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr)
    record(*S, Begin, {OrderKind::StreamCreated, *Stream, nullptr, NonBlocking});
  return Error;
}

} // namespace

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaStreamCreate(cudaStream_t *Stream) {
  return created(Stream, false, [&] { return GMPROF_REAL(cudaStreamCreate, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Stream, unsigned Flags) {
  return created(Stream, (Flags & cudaStreamNonBlocking) != 0,
                 [&] { return GMPROF_REAL(cudaStreamCreateWithFlags, Stream, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Stream, unsigned Flags,
                                                          int Priority) {
  return created(Stream, (Flags & cudaStreamNonBlocking) != 0, [&] {
    return GMPROF_REAL(cudaStreamCreateWithPriority, Stream, Flags, Priority);
  });
}

GMPROF_INTERPOSE cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->streamDestroyed(Stream);
  }
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

/// Between events that have ended. One that has is as good as waited for.
GMPROF_INTERPOSE cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start,
                                                  cudaEvent_t End) {
  auto Plain = [&] { return GMPROF_REAL(cudaEventElapsedTime, Milliseconds, Start, End); };
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed(
      {log::CallKind::EventRead, "cudaEventElapsedTime", GMPROF_CALLER, nullptr, End});
  cudaError_t Error = Plain();
  Observed.returned(Error);
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  return ordered({OrderKind::EventDestroyed, nullptr, Event},
                 [&] { return GMPROF_REAL(cudaEventDestroy, Event); });
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaDeviceSynchronize() {
  cudaError_t Error =
      ordered({OrderKind::DeviceSynchronized, nullptr, nullptr, false, GMPROF_CALLER},
              [&] { return GMPROF_REAL(cudaDeviceSynchronize); });
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->deviceIdle();
  }
  return Error;
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

GMPROF_INTERPOSE cudaError_t cudaDeviceReset() {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  if (!S)
    return GMPROF_REAL(cudaDeviceReset);
  std::vector<Objects::Removed> Gone = S->deviceReset(GMPROF_CALLER);
  cudaError_t Error = GMPROF_REAL(cudaDeviceReset);
  for (const Objects::Removed &Each : Gone)
    S->released(Each, "cudaDeviceReset", 0);
  return Error;
}
