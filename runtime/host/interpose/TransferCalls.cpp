//===- TransferCalls.cpp - Calls that copy and set memory -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/interpose/TransferCalls.h"
#include "host/core/Session.h"
#include "host/sync/WhatIf.h"
#include <string>

namespace gmprof::host {

/// Observes the call in a profile of synchronisation.
static cudaError_t observedTransfer(Session &S, const TransferCall &Made,
                                    FunctionRef<cudaError_t()> Plain, const Transfer &T) {
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

cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     FunctionRef<cudaError_t()> Plain, FunctionRef<cudaError_t()> WithoutWait,
                     FunctionRef<Transfer()> What) {
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

cudaError_t batch(const char *Api, const void *Caller, cudaStream_t Stream, size_t Count,
                  FunctionRef<cudaError_t()> Plain, FunctionRef<Transfer(size_t)> Copy) {
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

} // namespace gmprof::host
