//===- TransferCalls.h - Calls that copy and set memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that copy and set memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H
#define GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/objects/Transfers.h"
#include "host/sync/WhatIf.h"
#include <algorithm>
#include <vector>

namespace gmprof::host {

/// Observes the call in a profile of synchronisation.
template <typename Call>
cudaError_t observedTransfer(Session &S, const TransferCall &Made, Call Plain, const Transfer &T) {
  SyncProfile &Sync = *S.sync();
  TransferContents *Contents = Sync.contents();
  const bool Watched =
      Contents && T.RowBytes != 0 && T.Rows != 0 && T.Slices != 0 && !S.capturing(Made.Stream);
  TransferContents::Before Before;
  if (Watched) {
    Before.To = Contents->sideOf(T, T.To);
    if (!T.Set)
      Before.From = Contents->sideOf(T, T.From);
    Sync.copying(Made.Caller, Before.To, Before.From);
    if (!T.Set)
      Contents->before(Before, Made.Stream);
  }
  ObservedCall Observed(
      {T.Set ? log::CallKind::Set : log::CallKind::Copy, Made.Api, Made.Caller, Made.Stream});
  if (Watched)
    Sync.copyingAs(Observed.operation(), Before.To, Before.From);
  cudaError_t Error = Plain();
  Observed.returned(Error);
  const SyncProfile::CopyRecords Records = Sync.copyRecords();
  if (Error != cudaSuccess || T.RowBytes == 0 || Records == SyncProfile::CopyRecords::Nothing)
    return Error;
  const log::CopyRecord Record = Records == SyncProfile::CopyRecords::Wait
                                     ? transferRecord(S, Made, T)
                                     : recordTransfer(S, Made, T);
  // The program may have waited.
  if (!Made.Async && !T.Set)
    S.poll();
  const bool Ended = Record.wait == log::HostWait::All;
  if (Ended)
    Observed.setHostDone();
  else if (Made.Async && !isPageable(Record.to) && !isPageable(Record.from))
    Observed.setNeverWaits();
  if (Watched && !T.Set)
    Contents->after(Before, Observed.operation(), Made.Stream, Ended);
  return Error;
}

/// Makes the program's call and records the transfer that Describe returns. WithoutWait: the form
/// of the call that does not wait.
template <typename Call, typename AsyncCall, typename Describe>
cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     Call Plain, AsyncCall WithoutWait, Describe What) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  if (WhatIf *W = WhatIf::active()) {
    cudaError_t Error = W->copy({Api, Caller, Stream, Async, steadyNs()}, Plain, WithoutWait, What);
    W->started();
    return Error;
  }
  if (Session *S = Session::beginForCall(); S && S->sync())
    return observedTransfer(*S, {Api, Caller, Stream, Async, steadyNs()}, Plain, What());
  const TransferCall Made = {Api, Caller, Stream, Async, steadyNs()};
  cudaError_t Error = Plain();
  Session *S = Error == cudaSuccess ? Session::begin() : nullptr;
  if (!S)
    return Error;
  const Transfer T = What();
  recordTransfer(*S, Made, T);
  // The program may have waited.
  if (!Async && !T.Set)
    S->poll();
  return Error;
}

template <typename Call, typename Describe>
cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     Call Plain, Describe What) {
  return transfer(Api, Caller, Stream, Async, Plain, Plain, What);
}

/// Returns the side of memory in a copy between memory and an array or variable.
inline TransferSide memory(const void *Pointer, cudaMemcpyKind Kind, uint64_t Pitch = 0) {
  const bool OnHost = Kind == cudaMemcpyHostToDevice || Kind == cudaMemcpyDeviceToHost;
  TransferSide Side;
  Side.Pointer = Pointer;
  Side.Pitch = Pitch;
  Side.In = OnHost                             ? TransferSide::Where::Host
            : Kind == cudaMemcpyDeviceToDevice ? TransferSide::Where::Device
                                               : TransferSide::Where::Unknown;
  return Side;
}

inline Transfer peerCopy(void *To, const void *From, uint64_t Bytes) {
  Transfer T = copyOf(To, 0, From, 0, Bytes, 1, cudaMemcpyDeviceToDevice);
  T.Peer = true;
  return T;
}

/// Records each copy of a batch. Copy: describes a copy by its number.
template <typename Call, typename Describe>
cudaError_t batch(const char *Api, const void *Caller, cudaStream_t Stream, size_t Count,
                  Call Plain, Describe Copy) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  if (LateWaits *L = LateWaits::active())
    for (size_t I = 0; I < Count; ++I)
      L->transferring(Copy(I), Stream, /*Async=*/true);
  const TransferCall Made = {Api, Caller, Stream, true, steadyNs()};
  cudaError_t Error = Plain();
  Session *S = Error == cudaSuccess ? Session::begin() : nullptr;
  if (!S)
    return Error;
  // The graph nodes of a batch cannot be distinguished.
  if (S->capturing(Stream))
    S->log().gap("copies", std::string(Api) + " into a stream that is captured", Count);
  else
    for (size_t I = 0; I < Count; ++I)
      recordTransfer(*S, Made, Copy(I));
  return Error;
}

inline auto copyIn(void *const *To, const void *const *From, const size_t *Bytes) {
  return [=](size_t I) { return copyOf(To[I], 0, From[I], 0, Bytes[I], 1, cudaMemcpyDefault); };
}

} // namespace gmprof::host

#define GMPROF_UNWRAP(...) __VA_ARGS__

#endif // GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H
