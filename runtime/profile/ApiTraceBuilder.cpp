//===- ApiTraceBuilder.cpp - From a Profile to its GPU APIs ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiTraceBuilder.h"
#include "profile/StreamOrder.h"
#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace gmprof {

using namespace profile;
using log::HostWait;
using log::ObjectKind;

namespace {

bool isVariable(ObjectKind Kind) {
  return Kind == ObjectKind::GlobalVariable || Kind == ObjectKind::Constant;
}

/// Whether the rows follow each other without gaps, as far as is known.
bool contiguous(const log::CopyOperand &Of, const Copy &C) {
  return !Of.opaque && (C.Rows == 1 || Of.pitch == C.RowBytes) &&
         (C.Slices == 1 || Of.slicePitch == C.RowBytes * C.Rows);
}

class Builder {
public:
  explicit Builder(const Profile &P) : P(P) {}
  ApiTrace build();

private:
  enum class EventKind : uint8_t { Allocation, Release, Launch, Copy, Order };
  struct Event {
    uint64_t TimeNs, Record;
    EventKind Kind;
    uint32_t Index;

    auto order() const { return std::tuple(TimeNs, Record, Kind, Index); }
  };

  std::vector<Event> events() const;
  void addVariables();
  uint32_t addObject(const Object &O);
  void allocation(const Object &O);
  void release(const Object &O);
  void launch(uint32_t Index);
  void copy(const Copy &C);

  Api &add(ApiKind Kind, const std::string &Name);
  Api &addHostCall(ApiKind Kind, const Object &O, const ObjectEvent &E);
  void enqueue(Api &A, uint32_t Stream, HostWait Wait);
  void access(Api &A, const log::CopyOperand &Of, const Copy &C, bool Writes);
  uint32_t last() const { return static_cast<uint32_t>(T.Apis.size() - 1); }

  const Profile &P;
  ApiTrace T;
  StreamOrder Order;
  std::unordered_map<uint64_t, uint32_t> Alive; ///< index of the object by id
};

} // namespace

std::vector<Builder::Event> Builder::events() const {
  std::vector<Event> All;
  for (uint32_t I = 0; I < P.Objects.size(); ++I) {
    const Object &O = P.Objects[I];
    if (isVariable(O.Kind))
      continue;
    All.push_back({O.Made.TimeNs, O.Made.Record, EventKind::Allocation, I});
    if (O.Released)
      All.push_back({O.Released->TimeNs, O.Released->Record, EventKind::Release, I});
  }
  for (uint32_t I = 0; I < P.Launches.size(); ++I)
    if (!P.Launches[I].Graph)
      All.push_back({P.Launches[I].TimeNs, P.Launches[I].Record, EventKind::Launch, I});
  for (uint32_t I = 0; I < P.Copies.size(); ++I)
    All.push_back({P.Copies[I].BeginNs, P.Copies[I].Record, EventKind::Copy, I});
  for (uint32_t I = 0; I < P.Orders.size(); ++I)
    All.push_back({P.Orders[I].BeginNs, P.Orders[I].Record, EventKind::Order, I});
  std::sort(All.begin(), All.end(),
            [](const Event &A, const Event &B) { return A.order() < B.order(); });
  return All;
}

void Builder::addVariables() {
  for (const Object &O : P.Objects)
    if (isVariable(O.Kind))
      addObject(O);
}

/// Its index.
uint32_t Builder::addObject(const Object &O) {
  const auto Index = static_cast<uint32_t>(T.Objects.size());
  ApiObject &New = T.Objects.emplace_back();
  New.Id = O.Id;
  New.Name = O.Name;
  New.Bytes = O.Bytes;
  New.Kind = O.Kind;
  New.Device = O.Device;
  if (auto Slab = Alive.find(O.Parent); O.Parent != 0 && Slab != Alive.end())
    New.Parent = Slab->second;
  Alive[O.Id] = Index;
  return Index;
}

Api &Builder::add(ApiKind Kind, const std::string &Name) {
  Api &A = T.Apis.emplace_back();
  A.Kind = Kind;
  A.Name = Name;
  return A;
}

/// What its caller says of it is in A: of its kind, its times, its thread.
void Builder::enqueue(Api &A, uint32_t Stream, HostWait Wait) {
  A.Stream = Order.number(Stream);
  A.Device = Order.device(Stream);
  A.After = Order.work(last(), Stream, A.Thread, Wait);
}

/// Allocates or releases.
Api &Builder::addHostCall(ApiKind Kind, const Object &O, const ObjectEvent &E) {
  Api &A = add(Kind, E.Api);
  A.Device = O.Device;
  A.TimeNs = E.BeginNs;
  A.EndNs = E.EndNs;
  A.Thread = E.Thread;
  A.CallPath = E.CallPath;
  // What was seen to be gone went in an unknown way.
  if (O.Kind == ObjectKind::Pinned || E.Api.empty())
    A.Stream = NoStream;
  return A;
}

void Builder::allocation(const Object &O) {
  Api &A = addHostCall(ApiKind::Allocation, O, O.Made);
  A.Object = addObject(O);
  T.Objects[A.Object].Allocation = last();
  if (O.Kind == ObjectKind::AsyncPool)
    enqueue(A, Order.stream(O.Made.Stream, O.Device, A.Thread), HostWait::None);
  else if (A.Stream != NoStream)
    A.After = Order.hostAllocation(last(), O.Device, A.Thread);
}

void Builder::release(const Object &O) {
  auto It = Alive.find(O.Id);
  if (It == Alive.end())
    return;
  const ObjectEvent &E = *O.Released;
  Api &A = addHostCall(ApiKind::Release, O, E);
  A.Object = It->second;
  if (E.Api == "cudaFreeAsync")
    enqueue(A, Order.stream(E.Stream, O.Device, A.Thread), HostWait::None);
  else if (A.Stream != NoStream && O.Kind == ObjectKind::Pool) // it waits for nothing
    A.After = Order.hostAllocation(last(), O.Device, A.Thread);
  else if (A.Stream != NoStream)
    A.After = Order.hostRelease(last(), O.Device, A.Thread);
  T.Objects[It->second].Release = last();
  Alive.erase(It);
}

void Builder::launch(uint32_t Index) {
  const Launch &L = P.Launches[Index];
  Api &A = add(ApiKind::Launch, P.Kernels[L.Kernel].Demangled);
  A.TimeNs = L.TimeNs;
  A.Thread = L.Thread;
  A.CallPath = L.CallPath;
  A.Launch = Index;
  A.Inferred = L.AccessSet == None || P.AccessSets[L.AccessSet].Inferred;
  if (L.AccessSet != None)
    for (const log::ObjectAccess &Access : P.AccessSets[L.AccessSet].Accesses)
      if (auto It = Alive.find(Access.object); It != Alive.end())
        A.Accesses.push_back({It->second, Access.reads != 0, Access.writes != 0, 0, 0});
  enqueue(A, Order.stream(L.Stream, L.Device, L.Thread), HostWait::None);
}

void Builder::access(Api &A, const log::CopyOperand &Of, const Copy &C, bool Writes) {
  auto It = Alive.find(Of.object);
  if (It == Alive.end())
    return;
  ApiAccess Access = {It->second, !Writes, Writes, 0, 0};
  const uint64_t Bytes = C.RowBytes * C.Rows * C.Slices;
  // All of an array for textures is all of it, however it is laid out.
  if (contiguous(Of, C) || (Of.opaque && Bytes == T.Objects[It->second].Bytes)) {
    Access.Offset = Of.opaque ? 0 : Of.offset;
    Access.Bytes = Bytes;
  }
  A.Accesses.push_back(Access);
}

void Builder::copy(const Copy &C) {
  if (C.RowBytes == 0 || C.Rows == 0 || C.Slices == 0)
    return;
  const bool OnHost = C.To.host && (C.Set || C.From.host);
  if (OnHost && C.To.object == 0 && C.From.object == 0)
    return;
  Api &A = add(C.Set ? ApiKind::Set : ApiKind::Copy, C.Api);
  A.TimeNs = C.BeginNs;
  A.EndNs = C.EndNs;
  A.Thread = C.Thread;
  A.CallPath = C.CallPath;
  if (!C.Set)
    access(A, C.From, C, false);
  access(A, C.To, C, true);
  auto DeviceOf = [&](const log::CopyOperand &Of) {
    auto It = Alive.find(Of.object);
    return It == Alive.end() ? C.Device : T.Objects[It->second].Device;
  };
  const uint32_t Stream = Order.stream(C.Stream, C.Device, C.Thread);
  if (C.Peer)
    Order.beforePeerCopy(Stream, DeviceOf(C.To), DeviceOf(C.From));
  enqueue(A, Stream, C.Wait);
  if (C.Peer)
    Order.afterPeerCopy(Stream, DeviceOf(C.To), DeviceOf(C.From));
}

ApiTrace Builder::build() {
  addVariables();
  for (const Event &E : events())
    switch (E.Kind) {
    case EventKind::Allocation:
      allocation(P.Objects[E.Index]);
      break;
    case EventKind::Release:
      release(P.Objects[E.Index]);
      break;
    case EventKind::Launch:
      launch(E.Index);
      break;
    case EventKind::Copy:
      copy(P.Copies[E.Index]);
      break;
    case EventKind::Order:
      Order.order(P.Orders[E.Index]);
      break;
    }
  return std::move(T);
}

ApiTrace buildApiTrace(const Profile &P) { return Builder(P).build(); }

} // namespace gmprof
