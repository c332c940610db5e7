//===- ApiCalls.cpp - Records calls and their waits -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ApiCalls.h"
#include "host/core/Device.h"
#include "host/core/Session.h"
#include "host/sync/HostWatch.h"
#include "host/sync/LateWaits.h"
#include <algorithm>

namespace gmprof::host {

using log::CallKind;

/// Maximum number of ended operations whose times have not been read from their events.
static constexpr size_t MaxUnread = 4096;

static constexpr double NsPerMs = 1e6;

ApiCalls::ApiCalls(Recorder &Log, CallPaths &Paths, const DriverApi &Api, SyncStage Stage,
                   HostWatch *Watch)
    : Log(Log), Paths(Paths), Api(Api), Stage(Stage), Watch(Watch) {}

bool ApiCalls::mayWait(CallKind Kind) {
  switch (Kind) {
  case CallKind::Launch:
  case CallKind::StreamCreated:
  case CallKind::EventRecorded:
  case CallKind::EventDestroyed:
  case CallKind::StreamWaitsEvent:
  case CallKind::EventRead:
  case CallKind::HostFunction:
    return false;
  default:
    return true;
  }
}

bool ApiCalls::enqueues(CallKind Kind) {
  return Kind == CallKind::Launch || Kind == CallKind::Copy || Kind == CallKind::Set ||
         Kind == CallKind::HostFunction;
}

/// Returns a key that distinguishes the default streams of devices and, for per-thread default
/// streams, of threads.
uint64_t ApiCalls::keyOf(cudaStream_t Stream, int Device) {
  constexpr unsigned DeviceShift = 48, ThreadShift = 8;
  if (Stream == cudaStreamLegacy)
    Stream = nullptr;
  auto Key = reinterpret_cast<uint64_t>(Stream);
  if (Stream && Stream != cudaStreamPerThread)
    return Key;
  if (Stream)
    Key |= uint64_t(threadId()) << ThreadShift;
  return Key | uint64_t(Device) << DeviceShift;
}

CUevent ApiCalls::takeEvent(int Device) {
  std::vector<CUevent> &Free = FreeEvents[Device];
  if (!Free.empty()) {
    CUevent Event = Free.back();
    Free.pop_back();
    return Event;
  }
  CUevent Event = nullptr;
  const unsigned Flags = timed() ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  return Api.cuEventCreate(&Event, Flags) == CUDA_SUCCESS ? Event : nullptr;
}

/// Removes the operations of a stream's queue if all have ended; returns whether some have not.
bool ApiCalls::streamBusy(std::deque<Operation> &Queue) {
  if (Queue.empty())
    return false;
  if (Api.cuEventQuery(Queue.back().End) == CUDA_ERROR_NOT_READY)
    return true;
  for (const Operation &O : Queue)
    if (timed())
      Ended.push_back(O);
    else
      FreeEvents[O.Device].push_back(O.End);
  Queue.clear();
  return false;
}

void ApiCalls::look(Pending &P) {
  P.Looked = true;
  for (auto &[Key, Queue] : Running)
    if (streamBusy(Queue))
      P.Busy.emplace_back(Key, Queue.back().Id);
}

uint32_t ApiCalls::stillBusy(const Pending &P) {
  uint32_t Count = 0;
  for (const auto &[Key, Last] : P.Busy) {
    std::deque<Operation> &Queue = Running[Key];
    auto It = std::lower_bound(Queue.begin(), Queue.end(), Last,
                               [](const Operation &O, uint64_t Id) { return O.Id < Id; });
    Count +=
        It != Queue.end() && It->Id == Last && Api.cuEventQuery(It->End) == CUDA_ERROR_NOT_READY;
  }
  return Count;
}

bool ApiCalls::hasEnded(uint64_t Operation) {
  LockGuard Guard(Lock);
  RelaxedCapture Relaxed(Api);
  for (auto &[Key, Queue] : Running) {
    auto It = std::lower_bound(Queue.begin(), Queue.end(), Operation,
                               [](const auto &O, uint64_t Id) { return O.Id < Id; });
    if (It != Queue.end() && It->Id == Operation)
      return Api.cuEventQuery(It->End) != CUDA_ERROR_NOT_READY;
  }
  return true;
}

/// Returns a moment on both the GPU's and the host's clock: the fastest of several tries.
const ApiCalls::DeviceClock &ApiCalls::clockOf(int Device) {
  constexpr unsigned Tries = 4;
  DeviceClock &Clock = Clocks[Device];
  CUstream Stream = nullptr;
  if (Clock.Reference || Api.cuStreamCreate(&Stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return Clock;
  Session::finishBeforeDriver(); // reads the times
  uint64_t Least = UINT64_MAX;
  for (unsigned I = 0; I < Tries; ++I) {
    CUevent Event = takeEvent(Device);
    const uint64_t Before = steadyNs();
    if (!Event || Api.cuEventRecord(Event, Stream) != CUDA_SUCCESS ||
        Api.cuStreamSynchronize(Stream) != CUDA_SUCCESS)
      break;
    const uint64_t After = steadyNs();
    if (After - Before < Least) {
      std::swap(Event, Clock.Reference);
      Clock.HostNs = Before + (After - Before) / 2;
      Least = After - Before;
    }
    if (Event)
      FreeEvents[Device].push_back(Event);
  }
  Clock.PairMs = pairTime(Stream, Device);
  return Clock;
}

/// Returns the time that events before and behind an operation add to it.
float ApiCalls::pairTime(CUstream Stream, int Device) {
  constexpr unsigned Tries = 4;
  CUevent Start = takeEvent(Device), End = takeEvent(Device);
  float Least = 0;
  for (unsigned I = 0; I < Tries && Start && End && Api.cuEventElapsedTime; ++I) {
    float Pair = 0;
    if (Api.cuEventRecord(Start, Stream) != CUDA_SUCCESS ||
        Api.cuEventRecord(End, Stream) != CUDA_SUCCESS ||
        Api.cuStreamSynchronize(Stream) != CUDA_SUCCESS ||
        Api.cuEventElapsedTime(&Pair, Start, End) != CUDA_SUCCESS)
      break;
    Least = I == 0 ? Pair : std::min(Least, Pair);
  }
  for (CUevent Event : {Start, End})
    if (Event)
      FreeEvents[Device].push_back(Event);
  return Least;
}

void ApiCalls::readTimes() {
  for (const Operation &O : Ended) {
    float Offset = 0, Length = 0;
    const DeviceClock &Clock = Clocks[O.Device];
    if (Api.cuEventElapsedTime && Clock.Reference && O.Start &&
        Api.cuEventElapsedTime(&Offset, Clock.Reference, O.Start) == CUDA_SUCCESS &&
        Api.cuEventElapsedTime(&Length, O.Start, O.End) == CUDA_SUCCESS) {
      // The event behind an operation is later than the operation's end.
      const float Taken = std::max(Length - Clock.PairMs, 0.f);
      const auto Begin =
          static_cast<uint64_t>(static_cast<double>(Clock.HostNs) + Offset * NsPerMs);
      Log.gpuTime({O.Id, Begin, Begin + static_cast<uint64_t>(Taken * NsPerMs)});
    }
    if (O.Start)
      FreeEvents[O.Device].push_back(O.Start);
    FreeEvents[O.Device].push_back(O.End);
  }
  Ended.clear();
}

ApiCalls::Pending ApiCalls::before(const Call &C) {
  Pending P;
  P.TheCall = C;
  if (observed()) {
    P.Device = Api.currentDevice();
    LockGuard Guard(Lock);
    RelaxedCapture Relaxed(Api);
    if (mayWait(C.Kind))
      look(P);
    if (enqueues(C.Kind) && !C.Captured) {
      P.Operation = ++LastOperation;
      if (timed()) {
        clockOf(P.Device);
        P.Start = takeEvent(P.Device);
        if (P.Start && Api.cuEventRecord(P.Start, C.Stream) != CUDA_SUCCESS) {
          FreeEvents[P.Device].push_back(P.Start);
          P.Start = nullptr;
        }
      }
    }
  }
  P.BeginNs = steadyNs();
  return P;
}

void ApiCalls::failed(Pending &P) {
  LockGuard Guard(Lock);
  if (P.Start)
    FreeEvents[P.Device].push_back(P.Start);
}

void ApiCalls::after(Pending &P, uint64_t EndNs) {
  const Call &C = P.TheCall;
  log::ApiCallRecord R = {};
  R.beginNs = P.BeginNs;
  R.endNs = EndNs;
  R.stream = reinterpret_cast<uint64_t>(C.Stream);
  R.event = reinterpret_cast<uint64_t>(C.Event);
  R.operation = P.Operation;
  R.kind = C.Kind;
  R.device = static_cast<uint32_t>(P.Device);
  R.thread = threadId();
  R.looked = P.Looked;
  R.nonBlocking = C.NonBlocking;
  R.hostDone = C.HostDone;
  R.usesHost = C.UsesHost;
  R.busyBefore = static_cast<uint32_t>(P.Busy.size());
  if (observed()) {
    LockGuard Guard(Lock);
    RelaxedCapture Relaxed(Api);
    R.busyAfter = stillBusy(P);
    // Subtracts the time that events added to a wait.
    if (timed() && R.busyAfter < R.busyBefore)
      R.endNs -=
          std::min(R.endNs - R.beginNs, static_cast<uint64_t>(Clocks[P.Device].PairMs * NsPerMs));
    if (P.Operation != 0) {
      CUevent End = takeEvent(P.Device);
      if (End && Api.cuEventRecord(End, C.Stream) == CUDA_SUCCESS)
        Running[keyOf(C.Stream, P.Device)].push_back({P.Operation, P.Start, End, P.Device});
      else
        ++Unobserved;
    }
    if (Ended.size() >= MaxUnread)
      readTimes();
  }
  R.callPath = C.Caller ? Paths.find(C.Caller) : Paths.findOutside();
  P.Record = R;
}

void ApiCalls::resumed(Pending &P) {
  if (Watch && mayWait(P.TheCall.Kind))
    Watch->operationsEnded([&](uint64_t Operation) {
      return (Operation == P.Operation && P.TheCall.HostDone) || hasEnded(Operation);
    });
  P.Record.hostDone = P.TheCall.HostDone;
  if (P.TheCall.NeverWaits)
    P.Record.busyAfter = P.Record.busyBefore;
  P.Record.resumeNs = steadyNs();
  Log.apiCall(P.Record, P.TheCall.Api);
}

void ApiCalls::finish() {
  LockGuard Guard(Lock);
  RelaxedCapture Relaxed(Api);
  for (auto &[Key, Queue] : Running)
    streamBusy(Queue);
  readTimes();
  if (Unobserved != 0)
    Log.gap("operations", "the driver refused the event that says when it has ended", Unobserved);
}

ObservedCall::ObservedCall(const ApiCalls::Call &C) : Calls(nullptr) {
  if (LateWaits *L = LateWaits::active())
    L->calling(C);
  Session *S = Session::beginForCall();
  if (!S || !S->sync())
    return;
  Calls = &S->sync()->calls();
  ApiCalls::Call Of = C;
  Of.Captured = C.Stream && S->capturing(C.Stream);
  P = Calls->before(Of);
}

void ObservedCall::returned(cudaError_t Error) {
  if (!Calls)
    return;
  const uint64_t EndNs = steadyNs();
  Succeeded = Error == cudaSuccess;
  if (Succeeded)
    Calls->after(P, EndNs);
  else
    Calls->failed(P);
}

ObservedCall::~ObservedCall() {
  if (Calls && Succeeded)
    Calls->resumed(P);
}

} // namespace gmprof::host
