//===- ApiRecords.cpp - Decodes copies, orders, access sets ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiRecords.h"
#include "profile/PackedAccesses.h"
#include <utility>

namespace gmprof {

/// Decodes a copy or set; the bytes after the struct are the name of the API function.
bool ApiRecords::takeCopy(Payload &B, profile::Copy &To) const {
  log::CopyRecord R;
  if (!take(B, R) || B.size() != R.apiBytes || R.wait > log::HostWait::All)
    return false;
  To.Api = text(B);
  To.BeginNs = R.beginNs;
  To.EndNs = R.endNs;
  To.Stream = R.stream;
  To.RowBytes = R.rowBytes;
  To.Rows = R.rows;
  To.Slices = R.slices;
  To.To = R.to;
  To.From = R.from;
  To.Wait = R.wait;
  To.Set = R.set != 0;
  To.Peer = R.peer != 0;
  To.Device = R.device;
  To.Thread = R.thread;
  To.CallPath = Objects.findPath(R.callPath);
  return true;
}

bool ApiRecords::copy(Payload B, uint64_t Record) {
  profile::Copy C;
  if (!takeCopy(B, C))
    return false;
  C.Record = Record;
  P.Copies.push_back(C);
  return true;
}

bool ApiRecords::graphNode(Payload B) {
  log::GraphNodeRecord R;
  if (!take(B, R) || R.id == 0 || NodeById.count(R.id) || R.kind > log::GraphNodeKind::Release)
    return false;
  profile::GraphNode Node;
  Node.Kind = R.kind;
  Node.Object = R.object;
  if (auto Launch = LaunchById.find(R.launch); Launch != LaunchById.end())
    Node.Launch = Launch->second;
  if (R.kind == log::GraphNodeKind::Copy ? !takeCopy(B, Node.TheCopy) : !B.empty())
    return false;
  NodeById[R.id] = static_cast<uint32_t>(P.Nodes.size());
  P.Nodes.push_back(Node);
  return true;
}

bool ApiRecords::graphNodes(Payload B) {
  log::GraphNodesRecord R;
  std::vector<uint64_t> Ids;
  profile::GraphNodes Graph;
  if (!take(B, R) || !take(B, Ids, R.nodeCount) || !take(B, Graph.Edges, R.edgeCount) || !B.empty())
    return false;
  for (uint64_t Id : Ids) {
    auto Node = NodeById.find(Id);
    if (Id != 0 && Node == NodeById.end())
      return false;
    Graph.Nodes.push_back(Id == 0 ? profile::None : Node->second);
  }
  for (auto [From, To] : Graph.Edges)
    if (From >= R.nodeCount || To >= R.nodeCount)
      return false;
  GraphById[R.graph] = static_cast<uint32_t>(P.Graphs.size());
  P.Graphs.push_back(std::move(Graph));
  return true;
}

void ApiRecords::graphLaunch(const log::GraphLaunchRecord &R, uint64_t Record) {
  profile::GraphLaunch &L = P.GraphLaunches.emplace_back();
  L.Record = Record;
  L.TimeNs = R.timeNs;
  L.Stream = R.stream;
  L.Graph = R.graph;
  if (auto Graph = GraphById.find(R.graph); Graph != GraphById.end())
    L.Nodes = Graph->second;
  L.Device = R.device;
  L.Thread = R.thread;
  L.CallPath = Objects.findPath(R.callPath);
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
  if (!take(B, R) || R.id == 0 || SetById.contains(R.id) ||
      R.knowledge > log::AccessKnowledge::FromParameters)
    return false;
  std::optional<std::vector<log::ObjectAccess>> Accesses = unpackAccesses(B, R.count);
  if (!Accesses)
    return false;
  Set.Accesses = std::move(*Accesses);
  Set.Knowledge = R.knowledge;
  SetById.add(R.id, static_cast<uint32_t>(P.AccessSets.size()));
  P.AccessSets.push_back(std::move(Set));
  return true;
}

void ApiRecords::launch(const log::LaunchRecord &R) {
  profile::Launch &L = P.Launches.back();
  L.AccessSet = SetById.find(R.accessSet);
  if (L.AccessSet == profile::None || L.Graph ||
      P.AccessSets[L.AccessSet].Knowledge != log::AccessKnowledge::Exact)
    LaunchById[R.id] = static_cast<uint32_t>(P.Launches.size() - 1);
  if (R.notes)
    P.LaunchesWithoutHits += WithoutHits.insert(R.id).second;
}

bool ApiRecords::launchAccesses(Payload B) {
  log::LaunchAccessesRecord R;
  if (!take(B, R) || !B.empty())
    return false;
  auto Launch = LaunchById.find(R.launch);
  uint32_t Set = SetById.find(R.accessSet);
  if (Launch == LaunchById.end() || Set == profile::None)
    return false;
  P.LaunchesWithoutHits -= WithoutHits.erase(R.launch);
  const profile::Launch L = std::as_const(P.Launches)[Launch->second];
  const bool Decided = L.AccessSet != profile::None &&
                       P.AccessSets[L.AccessSet].Knowledge == log::AccessKnowledge::Possible;
  P.Launches.change(Launch->second, [&](profile::Launch &Of) {
    Of.AccessSet = Set;
    if (Decided && Of.PossibleSet == profile::None)
      Of.PossibleSet = L.AccessSet;
  });
  if (!L.Graph)
    LaunchById.erase(Launch);
  return true;
}

} // namespace gmprof
