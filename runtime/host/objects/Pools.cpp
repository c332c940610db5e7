//===- Pools.cpp - Memory pools of the program ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/Pools.h"
#include <string>
#include <unistd.h>
#include <utility>

namespace gmprof::host {

Pools::Pools(Recorder &Log, CallPaths &Paths, Objects &Slabs)
    : Log(Log), Paths(Paths), Slabs(Slabs) {
  Slabs.beforeRelease([this](const LiveObject &Gone) {
    if (Gone.Address == 0 || none())
      return;
    LockGuard Guard(Lock);
    removeWithin(Gone.Address, Gone.Bytes, nullptr);
    std::erase_if(ByNumber, [&](const auto &P) { return P.second.Slab.Id == Gone.Id; });
  });
}

void Pools::problem(const char *What, const char *Reason) {
  LockGuard Guard(ProblemLock);
  auto [It, First] = MoreProblems.try_emplace({What, Reason}, 0);
  if (First)
    Log.gap(What, Reason, 1);
  else
    ++It->second;
}

void Pools::finish() {
  LockGuard Guard(ProblemLock);
  for (auto &[Problem, Count] : MoreProblems)
    if (uint64_t More = std::exchange(Count, 0))
      Log.gap(Problem.first, Problem.second, More);
}

uint64_t Pools::create(uint64_t Address, uint64_t Bytes, const char *Name) {
  std::optional<LiveObject> Slab = Slabs.find(Address);
  if (!Slab || Bytes == 0 || Bytes > Slab->Address + Slab->Bytes - Address) {
    problem("memory pools", "gmprof_pool_create: the slab does not lie in one allocation");
    return 0;
  }
  if (Name)
    Log.objectName(Slab->Id, Name);
  LockGuard Guard(Lock);
  ByNumber[++LastPool] = {*Slab, Address, Bytes};
  return LastPool;
}

uint64_t Pools::ofObject(const LiveObject &Slab, const char *Name) {
  LockGuard Guard(WholeLock);
  auto [It, New] = Whole.try_emplace(Slab.Id);
  if (!New)
    return It->second;
  It->second = create(Slab.Address, Slab.Bytes, Name);
  // A part may end in an object that follows, if the caller knows that the memory goes on there.
  LockGuard OfPools(Lock);
  if (const auto Pool = ByNumber.find(It->second); Pool != ByNumber.end())
    Pool->second.Bytes = UINT64_MAX - Slab.Address;
  return It->second;
}

void Pools::beforeRelease(std::function<void(const LiveObject &)> New) {
  LockGuard Guard(Lock);
  Listeners.push_back(std::move(New));
}

Pools::Parts::iterator Pools::remove(Parts::iterator At, const char *Api, const void *Caller) {
  for (const auto &Listener : Listeners)
    Listener(At->second.Object);
  log::ReleaseRecord Record = {};
  Record.object = At->second.Object.Id;
  Record.timeNs = Record.endNs = steadyNs();
  Record.callPath = Caller ? Paths.find(Caller) : 0;
  Record.thread = threadId();
  Log.release(Record, Api);
  Version.fetch_add(1, std::memory_order_release);
  return All.erase(At);
}

/// Removes the parts that overlap the range.
void Pools::removeWithin(uint64_t Address, uint64_t Bytes, const void *Caller) {
  auto At = All.lower_bound(Address);
  if (At != All.begin() && std::prev(At)->second.Object.contains(Address))
    --At;
  while (At != All.end() && At->first < Address + Bytes)
    At = remove(At, Caller ? "gmprof_pool_destroy" : "", Caller);
}

void Pools::destroy(uint64_t Number, const void *Caller) {
  LockGuard Guard(Lock);
  auto It = ByNumber.find(Number);
  if (It == ByNumber.end())
    return;
  removeWithin(It->second.Address, It->second.Bytes, Caller);
  ByNumber.erase(It);
}

void Pools::allocate(uint64_t Number, uint64_t Address, uint64_t Bytes, const char *Name,
                     const void *Caller, const char *Api) {
  if (Bytes == 0)
    return;
  const uint64_t Begin = steadyNs();
  LockGuard Guard(Lock);
  auto It = ByNumber.find(Number);
  if (It == ByNumber.end() || !It->second.contains(Address, Bytes)) {
    problem("parts of memory pools", "gmprof_alloc: they do not lie in the pool");
    return;
  }
  const LiveObject &Slab = It->second.Slab;
  removeWithin(Address, Bytes, nullptr);
  LiveObject Object = {Slabs.newId(), Address, Bytes, log::ObjectKind::Pool, Slab.Device};
  log::ObjectRecord Record = {};
  Record.id = Object.Id;
  Record.beginNs = Begin;
  Record.timeNs = steadyNs();
  Record.address = Address;
  Record.bytes = Bytes;
  Record.kind = Object.Kind;
  Record.device = static_cast<uint32_t>(Slab.Device);
  Record.callPath = Paths.find(Caller);
  Record.thread = threadId();
  Record.parent = Slab.Id;
  Log.object(Record, Name ? Name : "", Api);
  All[Address] = {Object, Slab.Id};
  Version.fetch_add(1, std::memory_order_release);
}

void Pools::release(uint64_t Number, uint64_t Address, const void *Caller, const char *Api) {
  LockGuard Guard(Lock);
  auto At = All.find(Address);
  auto It = ByNumber.find(Number);
  if (At == All.end() || It == ByNumber.end() || It->second.Slab.Id != At->second.Slab) {
    problem("releases of parts of memory pools", "gmprof_free: the pool has handed out none there");
    return;
  }
  remove(At, Api, Caller);
}

std::vector<LiveObject> Pools::parts() const {
  std::vector<LiveObject> Objects;
  SharedLockGuard Guard(Lock);
  for (const auto &[Address, P] : All)
    Objects.push_back(P.Object);
  return Objects;
}

std::optional<LiveObject> Pools::find(uint64_t Address) const {
  if (!none()) {
    SharedLockGuard Guard(Lock);
    auto Next = All.upper_bound(Address);
    if (Next != All.begin())
      if (const LiveObject &Before = std::prev(Next)->second.Object; Before.contains(Address))
        return Before;
  }
  return Slabs.find(Address);
}

void Pools::name(uint64_t Address, const char *Name) {
  if (std::optional<LiveObject> Object = find(Address))
    Log.objectName(Object->Id, Name);
  else
    problem("names of objects", "gmprof_name: no object is known there");
}

} // namespace gmprof::host
