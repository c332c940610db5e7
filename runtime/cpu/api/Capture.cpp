//===- Capture.cpp - Stream capture ---------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Capture.h"
#include "cpu/api/Device.h"
#include "cpu/api/Events.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <utility>

namespace gmprof::cpu::api {

namespace {

/// Guards all captures, and the capture state of streams and events.
gmprof::Mutex Mutex;
/// Number of captures; all functions return early if it is 0.
std::atomic<size_t> ActiveCount{0};

std::vector<std::shared_ptr<Capture>> &active() GMPROF_REQUIRES(Mutex) {
  static auto &Active = *new std::vector<std::shared_ptr<Capture>>;
  return Active;
}

thread_local cudaStreamCaptureMode ThreadMode = cudaStreamCaptureModeGlobal;

uint64_t nextId() {
  static std::atomic<uint64_t> Next{1};
  return Next++;
}

cudaError_t invalidate(Capture &C, cudaError_t Error) GMPROF_REQUIRES(Mutex) {
  C.Invalid = true;
  return Error;
}

void append(std::vector<GraphNode *> &Tail, std::span<GraphNode *const> More) {
  for (GraphNode *Node : More)
    if (std::find(Tail.begin(), Tail.end(), Node) == Tail.end())
      Tail.push_back(Node);
}

/// Ends a capture in all of its streams.
void close(const std::shared_ptr<Capture> &C) GMPROF_REQUIRES(Mutex) {
  for (const std::shared_ptr<Stream> &S : C->Streams) {
    S->Capturing = nullptr;
    S->CaptureTail.clear();
  }
  C->Streams.clear();
  std::erase(active(), C);
  ActiveCount = active().size();
}

/// Returns whether all work of the capture leads to its origin stream.
bool joined(const Capture &C) GMPROF_REQUIRES(Mutex) {
  std::vector<GraphNode *> Reached = C.Origin->CaptureTail;
  for (size_t I = 0; I != Reached.size(); ++I)
    append(Reached, Reached[I]->DependsOn);
  for (const std::shared_ptr<Stream> &S : C.Streams)
    for (const GraphNode *Node : S->CaptureTail)
      if (std::find(Reached.begin(), Reached.end(), Node) == Reached.end())
        return false;
  return true;
}

/// Refuses work of the legacy stream, which would depend on capturing blocking streams.
cudaError_t refuseLegacy(const Device &Dev) GMPROF_REQUIRES(Mutex) {
  cudaError_t Error = cudaSuccess;
  for (const std::shared_ptr<Capture> &C : active())
    for (const std::shared_ptr<Stream> &S : C->Streams)
      if (&S->Dev == &Dev && S->blocking())
        Error = invalidate(*C, cudaErrorStreamCaptureImplicit);
  return Error;
}

/// Captures a wait; a wait for an event recorded in a capture adds the stream to that capture.
std::optional<cudaError_t> captureWait(Stream &S, const EventWaitOp &Wait) GMPROF_REQUIRES(Mutex) {
  std::shared_ptr<Capture> Other = Wait.Source->CapturedIn.lock();
  if (Other && Other->Streams.empty())
    Other = nullptr; // it has ended
  std::shared_ptr<Capture> &Own = S.Capturing;
  if (!Own && !Other)
    return std::nullopt;
  if (!Other)
    return invalidate(*Own, cudaErrorStreamCaptureIsolation);
  if (S.Legacy)
    return invalidate(*Other, cudaErrorStreamCaptureImplicit);
  if (Own && Own != Other) {
    invalidate(*Own, cudaErrorStreamCaptureMerge);
    return invalidate(*Other, cudaErrorStreamCaptureMerge);
  }
  if (!Own) {
    Own = Other;
    Other->Streams.push_back(S.shared_from_this());
  }
  append(S.CaptureTail, Wait.Source->CapturedTail);
  return cudaSuccess;
}

} // namespace

Capture::Capture(std::shared_ptr<Graph> Into, Stream &Origin, cudaStreamCaptureMode Mode)
    : Into(std::move(Into)), Origin(Origin.shared_from_this()), Mode(Mode), Id(nextId()),
      Thread(std::this_thread::get_id()), Streams{this->Origin} {}

cudaError_t beginCapture(Stream &S, cudaStreamCaptureMode Mode, std::shared_ptr<Graph> Into,
                         std::vector<GraphNode *> After) {
  if (Mode < cudaStreamCaptureModeGlobal || Mode > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  if (S.Legacy)
    return cudaErrorStreamCaptureUnsupported;
  LockGuard Lock(Mutex);
  if (S.Capturing)
    return cudaErrorIllegalState;
  S.Capturing = std::make_shared<Capture>(std::move(Into), S, Mode);
  S.CaptureTail = std::move(After);
  active().push_back(S.Capturing);
  ActiveCount = active().size();
  return cudaSuccess;
}

cudaError_t endCapture(Stream &S, std::shared_ptr<Graph> &Captured) {
  LockGuard Lock(Mutex);
  std::shared_ptr<Capture> C = S.Capturing;
  if (!C)
    return cudaErrorIllegalState;
  if (C->Origin.get() != &S)
    return invalidate(*C, cudaErrorStreamCaptureUnmatched);
  if (C->Mode != cudaStreamCaptureModeRelaxed && C->Thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t Error = cudaSuccess;
  if (C->Invalid)
    Error = cudaErrorStreamCaptureInvalidated;
  else if (!joined(*C))
    Error = cudaErrorStreamCaptureUnjoined;
  close(C);
  if (Error == cudaSuccess)
    Captured = C->Into;
  return Error;
}

std::optional<cudaError_t> capture(Stream &S, const Operation &Op) {
  if (ActiveCount == 0)
    return std::nullopt;
  LockGuard Lock(Mutex);
  auto *Record = std::get_if<EventRecordOp>(&Op);
  auto *Wait = std::get_if<EventWaitOp>(&Op);
  std::shared_ptr<Capture> C = S.Capturing;
  if (C && C->Invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (Wait && !Wait->External)
    return captureWait(S, *Wait);
  if (!C) {
    if (S.Legacy)
      if (cudaError_t Error = refuseLegacy(S.Dev))
        return Error;
    if (Record)
      Record->Target->CapturedIn.reset();
    return std::nullopt;
  }
  if (Record && !Record->External) {
    Record->Target->CapturedIn = C;
    Record->Target->CapturedTail = S.CaptureTail;
    return cudaSuccess;
  }
  auto *Child = std::get_if<ChildOp>(&Op);
  if (std::holds_alternative<CallbackOp>(Op) || (Child && Child->Child->isConditional()))
    return invalidate(*C, cudaErrorStreamCaptureUnsupported);
  Operation Captured = Child ? ChildOp{Child->Child->clone()} : Op;
  S.CaptureTail = {C->Into->add(std::move(Captured), S.CaptureTail)};
  return cudaSuccess;
}

bool isCapturing(Stream &S) { return captureState(S).Status != cudaStreamCaptureStatusNone; }

CaptureState captureState(Stream &S) {
  CaptureState State;
  if (ActiveCount == 0)
    return State;
  LockGuard Lock(Mutex);
  if (!S.Capturing)
    return State;
  State.Status =
      S.Capturing->Invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  State.Id = S.Capturing->Id;
  State.Into = S.Capturing->Into;
  State.Tail = S.CaptureTail;
  return State;
}

cudaError_t updateCaptureTail(Stream &S, std::vector<GraphNode *> Tail, bool Replace) {
  LockGuard Lock(Mutex);
  if (!S.Capturing)
    return cudaErrorIllegalState;
  if (Replace)
    S.CaptureTail = std::move(Tail);
  else
    append(S.CaptureTail, Tail);
  return cudaSuccess;
}

cudaError_t refuseUnsafeCall() {
  if (ActiveCount == 0 || ThreadMode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  LockGuard Lock(Mutex);
  cudaError_t Error = cudaSuccess;
  for (const std::shared_ptr<Capture> &C : active()) {
    bool Own = C->Thread == std::this_thread::get_id() && C->Mode != cudaStreamCaptureModeRelaxed;
    bool OfAll =
        C->Mode == cudaStreamCaptureModeGlobal && ThreadMode == cudaStreamCaptureModeGlobal;
    if (Own || OfAll)
      Error = invalidate(*C, cudaErrorStreamCaptureUnsupported);
  }
  return Error;
}

cudaError_t refuseWaiting(Stream &S) {
  if (ActiveCount == 0)
    return cudaSuccess;
  {
    LockGuard Lock(Mutex);
    if (S.Capturing)
      return invalidate(*S.Capturing, cudaErrorStreamCaptureUnsupported);
    if (S.Legacy)
      if (cudaError_t Error = refuseLegacy(S.Dev))
        return Error;
  }
  return refuseUnsafeCall();
}

cudaError_t refuseWaiting(Device &Dev) {
  if (ActiveCount == 0)
    return cudaSuccess;
  LockGuard Lock(Mutex);
  cudaError_t Error = cudaSuccess;
  for (const std::shared_ptr<Capture> &C : active())
    for (const std::shared_ptr<Stream> &S : C->Streams)
      if (&S->Dev == &Dev)
        Error = invalidate(*C, cudaErrorStreamCaptureUnsupported);
  return Error;
}

cudaError_t refuseWaiting(Event &E) {
  if (ActiveCount == 0)
    return cudaSuccess;
  {
    LockGuard Lock(Mutex);
    std::shared_ptr<Capture> C = E.CapturedIn.lock();
    if (C && !C->Streams.empty())
      return invalidate(*C, cudaErrorCapturedEvent);
  }
  return refuseUnsafeCall();
}

cudaStreamCaptureMode exchangeThreadMode(cudaStreamCaptureMode Mode) {
  return std::exchange(ThreadMode, Mode);
}

} // namespace gmprof::cpu::api
