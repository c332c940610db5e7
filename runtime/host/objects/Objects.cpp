//===- Objects.cpp - Live objects of global memory ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/Objects.h"
#include <algorithm>

namespace gmprof::host {

using log::ObjectKind;

std::optional<LiveObject> Objects::find(uint64_t Address) const {
  LockGuard Guard(Lock);
  auto Next = HandleByAddress.upper_bound(Address);
  if (Next == HandleByAddress.begin())
    return std::nullopt;
  const LiveObject &Found = ByHandle.at(std::prev(Next)->second);
  return Found.contains(Address) ? std::optional(Found) : std::nullopt;
}

std::optional<LiveObject> Objects::findHandle(uint64_t Handle) const {
  LockGuard Guard(Lock);
  auto It = ByHandle.find(Handle);
  return It == ByHandle.end() ? std::nullopt : std::optional(It->second);
}

std::vector<LiveObject> Objects::live(int Device) const {
  std::vector<LiveObject> All;
  LockGuard Guard(Lock);
  for (auto [Address, Handle] : HandleByAddress) {
    const LiveObject &O = ByHandle.at(Handle);
    if (O.Device == Device || O.Kind == ObjectKind::Pinned || O.Kind == ObjectKind::Managed)
      All.push_back(O);
  }
  return All;
}

void Objects::beforeRelease(Listener New) {
  LockGuard Guard(Lock);
  std::vector<Listener> All = *Listeners;
  All.push_back(std::move(New));
  Listeners = std::make_shared<const std::vector<Listener>>(std::move(All));
}

/// Returns the handle of an object that cannot be alive any more if Of is.
std::optional<uint64_t> Objects::inTheWay(const LiveObject &Of, uint64_t Handle) const {
  LockGuard Guard(Lock);
  if (ByHandle.count(Handle))
    return Handle;
  // Objects do not overlap each other, so only the last one that begins before the end can overlap.
  auto Next = HandleByAddress.lower_bound(Of.Address + Of.Bytes);
  if (Of.Address == 0 || Next == HandleByAddress.begin())
    return std::nullopt;
  auto [Address, Before] = *std::prev(Next);
  if (Address + ByHandle.at(Before).Bytes <= Of.Address)
    return std::nullopt;
  return Before;
}

std::pair<uint64_t, uint64_t> Objects::bounds() const {
  LockGuard Guard(Lock);
  if (HandleByAddress.empty())
    return {0, 0};
  const LiveObject &Highest = ByHandle.at(HandleByAddress.rbegin()->second);
  return {HandleByAddress.begin()->first, Highest.Address + Highest.Bytes};
}

void Objects::makeRoom(const LiveObject &For, uint64_t Handle) {
  while (std::optional<uint64_t> Stale = inTheWay(For, Handle))
    if (std::optional<Removed> Gone = remove(*Stale, nullptr))
      released(*Gone, "", 0);
}

void Objects::insert(const LiveObject &Object, uint64_t Handle) {
  LockGuard Guard(Lock);
  ByHandle[Handle] = Object;
  if (Object.Address != 0)
    HandleByAddress[Object.Address] = Handle;
  Version.fetch_add(1, std::memory_order_release);
}

uint64_t Objects::add(const NewObject &New) {
  if (New.Bytes == 0 || New.Handle == 0)
    return 0;
  LiveObject Object = {newId(), New.Address, New.Bytes, New.Kind, New.Device};
  makeRoom(Object, New.Handle);
  log::ObjectRecord Record = {};
  Record.id = Object.Id;
  Record.timeNs = steadyNs();
  Record.beginNs = New.BeginNs ? New.BeginNs : Record.timeNs;
  Record.address = New.Address;
  Record.bytes = New.Bytes;
  Record.stream = New.Stream;
  Record.kind = New.Kind;
  Record.device = static_cast<uint32_t>(New.Device);
  Record.callPath = Paths.find(New.Caller);
  Record.thread = threadId();
  std::ranges::copy(New.Extent, Record.extent);
  Record.elementBytes = New.ElementBytes;
  Log.object(Record, New.Variable ? New.Variable : "", New.Api);
  insert(Object, New.Handle);
  return Object.Id;
}

uint64_t Objects::noteVariable(int Device, ObjectKind Kind, std::string_view Name, uint64_t Address,
                               uint64_t Bytes) {
  LockGuard Guard(NoteLock);
  if (std::optional<LiveObject> Known = find(Address);
      Known && Known->Address == Address && Known->Bytes == Bytes && Known->Kind == Kind)
    return Known->Id;
  const std::string Variable(Name);
  NewObject New = {"", nullptr, Kind, Address, Address, Bytes, Device};
  New.Variable = Variable.c_str();
  return add(New);
}

std::optional<Objects::Removed> Objects::remove(uint64_t Handle, const void *Caller) {
  Removed Gone = {{}, Handle, 0, 0};
  ListenerList Told;
  {
    LockGuard Guard(Lock);
    auto It = ByHandle.find(Handle);
    if (It == ByHandle.end())
      return std::nullopt;
    Gone.Object = It->second;
    Told = Listeners;
  }
  Gone.CallPath = Paths.find(Caller);
  // Calls listeners without the lock, as they look up objects.
  for (const Listener &Each : *Told)
    Each(Gone.Object);
  Gone.TimeNs = steadyNs();             // after what listeners record
  decltype(ByHandle)::node_type Object; // freed without the lock
  decltype(HandleByAddress)::node_type Address;
  LockGuard Guard(Lock);
  // Another thread may have released it meanwhile.
  auto It = ByHandle.find(Handle);
  if (It == ByHandle.end() || It->second.Id != Gone.Object.Id)
    return std::nullopt;
  Object = ByHandle.extract(It);
  if (Gone.Object.Address != 0)
    Address = HandleByAddress.extract(Gone.Object.Address);
  Version.fetch_add(1, std::memory_order_release);
  return Gone;
}

void Objects::released(const Removed &Gone, std::string_view Api, uint64_t Stream, bool InGraph) {
  log::ReleaseRecord Record = {};
  Record.object = Gone.Object.Id;
  Record.timeNs = Gone.TimeNs;
  Record.endNs = steadyNs();
  Record.stream = Stream;
  Record.callPath = Gone.CallPath;
  Record.thread = threadId();
  Record.graph = InGraph;
  Log.release(Record, Api);
}

void Objects::restore(const Removed &Gone) { insert(Gone.Object, Gone.Handle); }

void Objects::allocatedByGraph(const LiveObject &Object) {
  if (std::optional<LiveObject> Known = findHandle(Object.Address); Known && Known->Id == Object.Id)
    return;
  makeRoom(Object, Object.Address);
  insert(Object, Object.Address);
}

void Objects::releasedByGraph(const LiveObject &Object) {
  if (std::optional<LiveObject> Known = findHandle(Object.Address); Known && Known->Id == Object.Id)
    remove(Object.Address, nullptr);
}

std::vector<Objects::Removed> Objects::removeAll(int Device, const void *Caller) {
  std::vector<uint64_t> Handles;
  {
    LockGuard Guard(Lock);
    for (const auto &[Handle, Object] : ByHandle)
      if (Object.Device == Device && Object.Kind != ObjectKind::AsyncPool)
        Handles.push_back(Handle);
  }
  std::vector<Removed> All;
  for (uint64_t Handle : Handles)
    if (std::optional<Removed> Gone = remove(Handle, Caller))
      All.push_back(*Gone);
  return All;
}

} // namespace gmprof::host
