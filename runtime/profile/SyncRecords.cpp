//===- SyncRecords.cpp - Decodes synchronization records ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/SyncRecords.h"

namespace gmprof {

/// Decodes an API call; the bytes after the struct are the name of the API function.
bool SyncRecords::apiCall(Payload B) {
  log::ApiCallRecord R;
  if (!take(B, R) || B.size() != R.apiBytes || R.kind > log::CallKind::HostFunction ||
      R.endNs < R.beginNs || R.resumeNs < R.endNs)
    return false;
  profile::ApiCall &C = P.Calls.emplace_back();
  C.Api = text(B);
  C.BeginNs = R.beginNs;
  C.EndNs = R.endNs;
  C.ResumeNs = R.resumeNs;
  C.Stream = R.stream;
  C.Event = R.event;
  C.Operation = R.operation;
  C.Kind = R.kind;
  C.Device = R.device;
  C.Thread = R.thread;
  C.CallPath = Objects.findPath(R.callPath);
  C.BusyBefore = R.busyBefore;
  C.BusyAfter = R.busyAfter;
  C.Looked = R.looked != 0;
  C.NonBlocking = R.nonBlocking != 0;
  C.HostDone = R.hostDone != 0;
  C.UsesHost = R.usesHost != 0;
  return true;
}

bool SyncRecords::gpuTime(Payload B) {
  log::GpuTimeRecord R;
  if (!take(B, R) || !B.empty() || R.operation == 0 || R.endNs < R.beginNs)
    return false;
  P.GpuTimes.push_back({R.operation, R.beginNs, R.endNs});
  return true;
}

bool SyncRecords::hostUse(Payload B) {
  log::HostUseRecord R;
  if (!take(B, R) || !B.empty() || R.operation == 0 || R.kind > log::UseKind::OnlyByCode ||
      R.byCode > 1)
    return false;
  P.Uses.push_back({R.operation, R.timeNs, R.address, R.kind, R.thread,
                    Objects.findPath(R.callPath), R.byCode != 0});
  return true;
}

bool SyncRecords::content(Payload B) {
  log::ContentRecord R;
  if (!take(B, R) || !B.empty() || R.operation == 0 || R.identical > 2 ||
      R.direction > log::CopyDirection::HostToHost)
    return false;
  profile::Content &C = P.Contents.emplace_back();
  C.Operation = R.operation;
  C.Bytes = R.bytes;
  C.Hash = {R.hash[0], R.hash[1]};
  C.Destination = R.destination;
  C.Object = R.object;
  C.Direction = R.direction;
  if (R.identical != 2)
    C.Identical = R.identical == 1;
  return true;
}

bool SyncRecords::migration(Payload B) {
  log::MigrationRecord R;
  if (!take(B, R) || !B.empty() || R.endNs < R.beginNs || R.toHost > 1)
    return false;
  P.Migrations.push_back({R.beginNs, R.endNs, R.address, R.bytes, R.device, R.toHost != 0});
  return true;
}

} // namespace gmprof
