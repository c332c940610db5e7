//===- ApiRecords.cpp - Decodes copies, orders and access sets ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiRecords.h"

namespace gmprof {

bool ApiRecords::copy(Payload B, uint64_t Record) {
  log::CopyRecord R;
  if (!take(B, R) || B.size() != R.apiBytes || R.wait > log::HostWait::All)
    return false;
  P.Copies.push_back({.Record = Record,
                      .Api = std::string(text(B)),
                      .BeginNs = R.beginNs,
                      .EndNs = R.endNs,
                      .Stream = R.stream,
                      .RowBytes = R.rowBytes,
                      .Rows = R.rows,
                      .Slices = R.slices,
                      .To = R.to,
                      .From = R.from,
                      .Wait = R.wait,
                      .Set = R.set != 0,
                      .Peer = R.peer != 0,
                      .Device = R.device,
                      .Thread = R.thread,
                      .CallPath = Objects.findPath(R.callPath)});
  return true;
}

bool ApiRecords::order(Payload B, uint64_t Record) {
  log::OrderRecord R;
  if (!take(B, R) || !B.empty() || R.kind > log::OrderKind::DeviceSynchronized)
    return false;
  P.Orders.push_back({.Record = Record,
                      .BeginNs = R.beginNs,
                      .EndNs = R.endNs,
                      .Stream = R.stream,
                      .Event = R.event,
                      .Kind = R.kind,
                      .NonBlocking = R.nonBlocking != 0,
                      .Device = R.device,
                      .Thread = R.thread,
                      .CallPath = Objects.findPath(R.callPath)});
  return true;
}

bool ApiRecords::region(Payload B) {
  log::RegionRecord R;
  if (!take(B, R) || B.size() != R.nameBytes)
    return false;
  P.Regions.push_back({R.timeNs, R.thread, R.end != 0, std::string(text(B))});
  return true;
}

bool ApiRecords::accessSet(Payload B) {
  log::AccessSetRecord R;
  profile::AccessSet Set;
  if (!take(B, R) || R.id == 0 || SetById.count(R.id) || !take(B, Set.Accesses, R.count) ||
      !B.empty())
    return false;
  Set.Inferred = R.inferred != 0;
  SetById[R.id] = static_cast<uint32_t>(P.AccessSets.size());
  P.AccessSets.push_back(std::move(Set));
  return true;
}

uint32_t ApiRecords::findSet(uint32_t Id) const {
  auto It = SetById.find(Id);
  return It == SetById.end() ? profile::None : It->second;
}

void ApiRecords::launch(const log::LaunchRecord &R) {
  profile::Launch &L = P.Launches.back();
  L.AccessSet = findSet(R.accessSet);
  if (L.AccessSet == profile::None)
    LaunchById[R.id] = static_cast<uint32_t>(P.Launches.size() - 1);
}

bool ApiRecords::launchAccesses(Payload B) {
  log::LaunchAccessesRecord R;
  if (!take(B, R) || !B.empty())
    return false;
  auto Launch = LaunchById.find(R.launch);
  uint32_t Set = findSet(R.accessSet);
  if (Launch == LaunchById.end() || Set == profile::None)
    return false;
  P.Launches[Launch->second].AccessSet = Set;
  LaunchById.erase(Launch);
  return true;
}

} // namespace gmprof
