//===- StreamOrder.cpp - Order of stream work -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/StreamOrder.h"
#include <algorithm>
#include <iterator>

namespace gmprof {

using profile::None;

/// Handles with a fixed meaning: cudaStreamLegacy and cudaStreamPerThread.
static constexpr uint64_t LegacyHandle = 1, PerThreadHandle = 2;

/// Limit of a clock's streams; bounds memory in programs that keep creating streams.
static constexpr size_t MostStreams = 1024;

bool StreamClock::covers(uint32_t Stream, uint32_t Api) const {
  auto It = std::lower_bound(Entries.begin(), Entries.end(), Entry(Stream, 0));
  return It != Entries.end() && It->first == Stream && It->second >= Api;
}

void StreamClock::add(uint32_t Stream, uint32_t Api) {
  auto It = std::lower_bound(Entries.begin(), Entries.end(), Entry(Stream, 0));
  if (It != Entries.end() && It->first == Stream)
    It->second = std::max(It->second, Api);
  else
    Entries.insert(It, {Stream, Api});
  limit();
}

void StreamClock::add(const StreamClock &Other) {
  if (Other.Entries.empty())
    return;
  std::vector<Entry> Both;
  Both.reserve(Entries.size() + Other.Entries.size());
  std::merge(Entries.begin(), Entries.end(), Other.Entries.begin(), Other.Entries.end(),
             std::back_inserter(Both));
  // Entries of one stream are sorted by API; keep the last.
  Entries.clear();
  for (Entry E : Both) {
    if (!Entries.empty() && Entries.back().first == E.first)
      Entries.pop_back();
    Entries.push_back(E);
  }
  limit();
}

/// Drops the oldest APIs beyond MostStreams.
void StreamClock::limit() {
  while (Entries.size() > MostStreams)
    Entries.erase(std::min_element(Entries.begin(), Entries.end(),
                                   [](Entry A, Entry B) { return A.second < B.second; }));
}

void StreamClock::remove(const StreamClock &Other) {
  std::erase_if(Entries, [&](Entry E) { return Other.covers(E.first, E.second); });
}

uint32_t StreamOrder::newStream(uint64_t Number, uint32_t Device, bool Blocking) {
  Stream &S = Streams.emplace_back();
  S.Number = Number;
  S.Device = Device;
  S.Blocking = Blocking;
  return static_cast<uint32_t>(Streams.size() - 1);
}

StreamOrder::Device &StreamOrder::deviceOf(uint32_t Ordinal) {
  auto [It, New] = Devices.try_emplace(Ordinal);
  if (New)
    It->second.Default = newStream(0, Ordinal, false);
  return It->second;
}

uint32_t StreamOrder::stream(uint64_t Handle, uint32_t Ordinal, uint32_t Thread) {
  Device &D = deviceOf(Ordinal);
  if (Handle == 0 || Handle == LegacyHandle)
    return D.Default;
  uint32_t &Index = Handle == PerThreadHandle
                        ? PerThread.try_emplace({Ordinal, Thread}, None).first->second
                        : StreamByHandle.try_emplace(Handle, None).first->second;
  if (Index == None) {
    // A stream whose creation was not seen is taken as non-blocking, which implies less order.
    Index = newStream(++LastNumber, Ordinal, Handle == PerThreadHandle);
    D.Streams.push_back(Index);
  }
  return Index;
}

/// Returns the APIs that an event recorded now in the stream waits for.
StreamOrder::Reach StreamOrder::state(uint32_t Index) const {
  const Stream &S = Streams[Index];
  Reach All = S.Pending;
  if (S.Last != None) {
    All.Direct.add(Index, S.Last);
    All.Implied.add(S.Known);
  }
  return All;
}

StreamOrder::Reach StreamOrder::stateOfDevice(uint32_t Ordinal) {
  const Device &D = deviceOf(Ordinal);
  Reach All = state(D.Default);
  All.add(D.Destroyed);
  for (uint32_t Each : D.Streams)
    All.add(state(Each));
  return All;
}

void StreamOrder::waited(uint32_t Thread, const Reach &For) {
  auto &Host = Threads[Thread];
  Host.Done.add(For);
  ++Host.Version;
}

void StreamOrder::called(uint32_t Api, uint32_t Thread, uint32_t Ordinal, uint64_t Number) {
  auto &Host = Threads[Thread];
  Host.LastApi = Api;
  Host.LastStream = {Ordinal, Number};
}

/// Applies the default stream's order to an operation that is enqueued into the stream.
void StreamOrder::obeyDefault(uint32_t Index) {
  Stream &S = Streams[Index];
  Device &D = deviceOf(S.Device);
  ++S.Version;
  if (Index == D.Default) {
    for (uint32_t Each : D.NewToDefault) {
      Streams[Each].NewToDefault = false;
      S.Pending.add(state(Each));
    }
    D.NewToDefault.clear();
  } else if (S.Blocking) {
    if (!std::exchange(S.NewToDefault, true))
      D.NewToDefault.push_back(Index);
    if (S.DefaultSeen != Streams[D.Default].Version) {
      S.DefaultSeen = Streams[D.Default].Version;
      S.Pending.add(state(D.Default));
    }
  }
}

void StreamOrder::addHostWaits(uint32_t Index, uint32_t Thread, Reach &To) {
  const auto &Host = Threads[Thread];
  if (Host.Version == 0 || Streams[Index].HostSeen == std::pair(Thread, Host.Version))
    return;
  Streams[Index].HostSeen = {Thread, Host.Version};
  To.add(Host.Done);
}

/// Appends the API to the stream, after For; returns its edges to other streams.
StreamOrder::Edges StreamOrder::follow(uint32_t Api, uint32_t Index, const Reach &For) {
  Stream &S = Streams[Index];
  Edges After;
  for (auto [Other, Before] : For.Direct.entries())
    if (Other != Index && !S.Known.covers(Other, Before))
      After.push_back(Before);
  S.Known.add(For.Direct);
  S.Known.add(For.Implied);
  S.Last = Api;
  return After;
}

StreamOrder::Edges StreamOrder::work(uint32_t Api, uint32_t Index, uint32_t Thread,
                                     log::HostWait Wait) {
  obeyDefault(Index);
  if (Wait == log::HostWait::Before)
    waited(Thread, state(Index));
  Reach For = std::exchange(Streams[Index].Pending, {});
  addHostWaits(Index, Thread, For);
  Edges After = follow(Api, Index, For);
  const Stream &S = Streams[Index];
  called(Api, Thread, S.Device, S.Number);
  if (Wait == log::HostWait::All)
    waited(Thread, state(Index));
  return After;
}

void StreamOrder::beforePeerCopy(uint32_t Index, uint32_t To, uint32_t From) {
  for (uint32_t Ordinal : {To, From}) {
    const Reach All = stateOfDevice(Ordinal);
    Streams[Index].Pending.add(All);
  }
}

void StreamOrder::afterPeerCopy(uint32_t Index, uint32_t To, uint32_t From) {
  const Reach Copied = state(Index);
  for (uint32_t Ordinal : {To, From}) {
    const Device &D = deviceOf(Ordinal);
    Streams[D.Default].Pending.add(Copied);
    for (uint32_t Each : D.Streams)
      Streams[Each].Pending.add(Copied);
  }
}

StreamOrder::GraphRun StreamOrder::beginGraph(uint64_t Graph, uint32_t Index, uint32_t Thread) {
  obeyDefault(Index);
  GraphRun Run;
  Run.Graph = Graph;
  Run.Thread = Thread;
  Run.Before = state(Index);
  addHostWaits(Index, Thread, Run.Before);
  Run.Lanes = {Index};
  Streams[Index].Pending = {};
  return Run;
}

uint32_t StreamOrder::addLane(GraphRun &Run) {
  const auto Lane = static_cast<uint32_t>(Run.Lanes.size());
  auto [It, New] = GraphLanes.try_emplace({Run.Graph, Lane});
  if (New)
    It->second = newStream(++LastNumber, device(Run.Lanes[0]), false);
  Run.Lanes.push_back(It->second);
  return Lane;
}

uint64_t StreamOrder::number(const GraphRun &Run, uint32_t Lane) const {
  return number(Run.Lanes[Lane]);
}

StreamOrder::Edges StreamOrder::graphWork(const GraphRun &Run, GraphApi Node,
                                          const std::vector<GraphApi> &After) {
  Reach For;
  for (GraphApi Each : After)
    For.Direct.add(Run.Lanes[Each.Lane], Each.Api);
  return follow(Node.Api, Run.Lanes[Node.Lane], After.empty() ? Run.Before : For);
}

void StreamOrder::endGraph(const GraphRun &Run, const std::vector<uint32_t> &LastOfLane) {
  Stream &S = Streams[Run.Lanes[0]];
  if (LastOfLane.empty()) {
    S.Pending.add(Run.Before);
    return;
  }
  for (size_t Lane = 1; Lane < LastOfLane.size(); ++Lane)
    S.Pending.Direct.add(Run.Lanes[Lane], LastOfLane[Lane]);
  called(LastOfLane[0], Run.Thread, S.Device, S.Number);
}

StreamOrder::Edges StreamOrder::hostAllocation(uint32_t Api, uint32_t Ordinal, uint32_t Thread) {
  const auto &Host = Threads[Thread];
  Edges After;
  if (Host.LastApi != None && Host.LastStream != std::pair(Ordinal, uint64_t(0)))
    After.push_back(Host.LastApi);
  called(Api, Thread, Ordinal, 0);
  return After;
}

void StreamOrder::waitForDefaultStream(uint32_t Ordinal, uint32_t Thread) {
  waited(Thread, state(deviceOf(Ordinal).Default));
}

StreamOrder::Edges StreamOrder::hostRelease(uint32_t Api, uint32_t Ordinal, uint32_t Thread) {
  const Reach All = stateOfDevice(Ordinal);
  waited(Thread, All);
  Device &D = deviceOf(Ordinal);
  Edges After;
  for (auto [Other, Before] : All.Direct.entries())
    if (Other != D.Default && !D.HostKnown.covers(Other, Before))
      After.push_back(Before);
  D.HostKnown.add(All.Direct);
  called(Api, Thread, Ordinal, 0);
  return After;
}

void StreamOrder::destroy(uint32_t Index) {
  Stream &S = Streams[Index];
  Device &D = deviceOf(S.Device);
  const Reach All = state(Index);
  D.Destroyed.add(All);
  if (S.NewToDefault) {
    Streams[D.Default].Pending.add(All);
    std::erase(D.NewToDefault, Index);
  }
  std::erase(D.Streams, Index);
  S.Known = {};
  S.Pending = {};
}

void StreamOrder::order(const profile::Order &O) {
  using log::OrderKind;
  auto The = [&] { return stream(O.Stream, O.Device, O.Thread); };
  switch (O.Kind) {
  case OrderKind::StreamCreated: {
    Device &D = deviceOf(O.Device);
    D.Streams.push_back(newStream(++LastNumber, O.Device, !O.NonBlocking));
    StreamByHandle[O.Stream] = D.Streams.back();
    break;
  }
  case OrderKind::StreamDestroyed:
    if (auto It = StreamByHandle.find(O.Stream); It != StreamByHandle.end()) {
      destroy(It->second);
      StreamByHandle.erase(It);
    }
    break;
  case OrderKind::EventRecorded: {
    const uint32_t Index = The();
    obeyDefault(Index);
    Events[O.Event] = state(Index);
    break;
  }
  case OrderKind::EventDestroyed:
    Events.erase(O.Event);
    break;
  case OrderKind::StreamWaitsEvent:
    if (auto It = Events.find(O.Event); It != Events.end()) {
      const uint32_t Index = The();
      obeyDefault(Index);
      Streams[Index].Pending.add(It->second);
    }
    break;
  case OrderKind::StreamSynchronized:
    waited(O.Thread, state(The()));
    break;
  case OrderKind::EventSynchronized:
    if (auto It = Events.find(O.Event); It != Events.end())
      waited(O.Thread, It->second);
    break;
  case OrderKind::DeviceSynchronized:
    waited(O.Thread, stateOfDevice(O.Device));
    break;
  }
}

} // namespace gmprof
