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

/// Returns true if the copied rows are known to be contiguous in the operand.
bool contiguous(const log::CopyOperand &Of, const Copy &C) {
  return !Of.opaque && (C.Rows == 1 || Of.pitch == C.RowBytes) &&
         (C.Slices == 1 || Of.slicePitch == C.RowBytes * C.Rows);
}

class Builder {
public:
  explicit Builder(const Profile &P) : P(P) {}
  ApiTrace build();

private:
  enum class EventKind : uint8_t {
    Allocation,
    Release,
    OtherRelease, ///< Index is in Profile::GraphMemoryReleases
    Launch,
    GraphLaunch,
    Copy,
    Order
  };
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
  void release(const Object &O, const ObjectEvent &E);
  Api &launch(uint32_t Index);
  Api &copy(const Copy &C);
  void enqueueLaunch(uint32_t Index);
  void enqueueCopy(const Copy &C);
  void graphLaunch(const GraphLaunch &L);
  bool addNode(const GraphNode &Node);

  Api &add(ApiKind Kind, const std::string &Name);
  Api &addHostCall(ApiKind Kind, const Object &O, const ObjectEvent &E);
  void enqueue(Api &A, uint32_t Stream, HostWait Wait);
  void access(Api &A, const log::CopyOperand &Of, const Copy &C, bool Writes);
  std::optional<uint32_t> accessed(uint64_t Object);
  uint32_t last() const { return static_cast<uint32_t>(T.Apis.size() - 1); }

  const Profile &P;
  ApiTrace T;
  StreamOrder Order;
  std::unordered_map<uint64_t, uint32_t> Alive; ///< object index by id
  /// As Alive; only if the program launches graphs, which can access what was released.
  std::unordered_map<uint64_t, uint32_t> Released;
  std::unordered_map<uint64_t, Object> InGraphs; ///< objects that graphs allocate, by id
};

} // namespace

std::vector<Builder::Event> Builder::events() const {
  std::vector<Event> All;
  All.reserve(2 * P.Objects.size() + P.GraphMemoryReleases.size() + P.Launches.size() +
              P.GraphLaunches.size() + P.Copies.size() + P.Orders.size());
  uint32_t I = 0;
  for (const Object &O : P.Objects) {
    const uint32_t Index = I++;
    if (isVariable(O.Kind))
      continue;
    if (O.Kind != ObjectKind::Graph)
      All.push_back({O.Made.TimeNs, O.Made.Record, EventKind::Allocation, Index});
    if (O.Released && !O.Released->InGraph)
      All.push_back({O.Released->TimeNs, O.Released->Record, EventKind::Release, Index});
  }
  I = 0;
  for (const GraphMemoryRelease &R : P.GraphMemoryReleases)
    All.push_back({R.Event.TimeNs, R.Event.Record, EventKind::OtherRelease, I++});
  I = 0;
  for (const Launch &L : P.Launches) {
    if (!L.Graph)
      All.push_back({L.TimeNs, L.Record, EventKind::Launch, I});
    ++I;
  }
  I = 0;
  for (const GraphLaunch &L : P.GraphLaunches)
    All.push_back({L.TimeNs, L.Record, EventKind::GraphLaunch, I++});
  I = 0;
  for (const Copy &C : P.Copies)
    All.push_back({C.BeginNs, C.Record, EventKind::Copy, I++});
  I = 0;
  for (const profile::Order &O : P.Orders)
    All.push_back({O.BeginNs, O.Record, EventKind::Order, I++});
  std::sort(All.begin(), All.end(),
            [](const Event &A, const Event &B) { return A.order() < B.order(); });
  return All;
}

void Builder::addVariables() {
  for (const Object &O : P.Objects)
    if (isVariable(O.Kind))
      addObject(O);
}

/// Adds an object to the trace and returns its index.
uint32_t Builder::addObject(const Object &O) {
  const auto Index = static_cast<uint32_t>(T.Objects.size());
  ApiObject &New = T.Objects.emplace_back();
  New.Id = O.Id;
  New.Name = O.Name;
  New.Bytes = O.Bytes;
  New.Kind = O.Kind;
  New.Device = O.Device;
  New.Opaque = O.Address == 0;
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

/// Enqueues `A` into `Stream`. The caller has set its kind, times and thread.
void Builder::enqueue(Api &A, uint32_t Stream, HostWait Wait) {
  A.Stream = Order.number(Stream);
  A.Device = Order.device(Stream);
  A.After = Order.work(last(), Stream, A.Thread, Wait);
}

/// Adds an allocation or release.
Api &Builder::addHostCall(ApiKind Kind, const Object &O, const ObjectEvent &E) {
  Api &A = add(Kind, E.Api);
  A.Device = O.Device;
  A.TimeNs = E.BeginNs;
  A.EndNs = E.EndNs;
  A.Thread = E.Thread;
  A.CallPath = E.CallPath;
  // A release without an API name was not observed: the object was found to be gone.
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

void Builder::release(const Object &O, const ObjectEvent &E) {
  auto It = Alive.find(O.Id);
  if (It == Alive.end())
    return;
  Api &A = addHostCall(ApiKind::Release, O, E);
  A.Object = It->second;
  if (E.Api == "cudaFreeAsync" || E.Api == "cuMemFreeAsync")
    enqueue(A, Order.stream(E.Stream, O.Device, A.Thread), HostWait::None);
  else if (A.Stream != NoStream && O.Kind == ObjectKind::Pool) // a pool part waits for nothing
    A.After = Order.hostAllocation(last(), O.Device, A.Thread);
  else if (A.Stream != NoStream)
    A.After = Order.hostRelease(last(), O.Device, A.Thread);
  if (E.Api == "cudaFreeHost" || E.Api == "cuMemFreeHost")
    Order.waitForDefaultStream(O.Device, E.Thread);
  T.Objects[It->second].Release = last();
  if (!P.GraphLaunches.empty())
    Released[O.Id] = It->second;
  Alive.erase(It);
}

/// Returns the index of an object that an API accesses; nothing if it does not exist then.
std::optional<uint32_t> Builder::accessed(uint64_t Object) {
  if (const auto It = Alive.find(Object); It != Alive.end())
    return It->second;
  if (const auto It = Released.find(Object); It != Released.end())
    T.Objects[It->second].UsedAfterRelease = true;
  return std::nullopt;
}

/// Adds a kernel launch; the caller enqueues it.
Api &Builder::launch(uint32_t Index) {
  const Launch &L = P.Launches[Index];
  Api &A = add(ApiKind::Launch, P.Kernels[L.Kernel].Demangled);
  A.TimeNs = L.TimeNs;
  A.Thread = L.Thread;
  A.CallPath = L.CallPath;
  A.Launch = Index;
  const log::AccessKnowledge Knowledge =
      L.AccessSet == None ? log::AccessKnowledge::Inferred : P.AccessSets[L.AccessSet].Knowledge;
  A.Inferred = Knowledge == log::AccessKnowledge::Inferred;
  A.FromParameters = Knowledge == log::AccessKnowledge::FromParameters;
  if (L.AccessSet != None)
    for (const log::ObjectAccess &Access : P.AccessSets[L.AccessSet].Accesses)
      if (const auto Object = accessed(Access.object))
        A.Accesses.push_back({*Object, Access.reads != 0, Access.writes != 0, 0, 0});
  if (L.PossibleSet != None && L.PossibleSet != L.AccessSet)
    for (const log::ObjectAccess &Access : P.AccessSets[L.PossibleSet].Accesses)
      if (const auto Object = accessed(Access.object))
        if (std::ranges::none_of(A.Accesses,
                                 [&](const ApiAccess &Made) { return Made.Object == *Object; }))
          T.Skipped.push_back({last(), *Object});
  return A;
}

void Builder::access(Api &A, const log::CopyOperand &Of, const Copy &C, bool Writes) {
  const std::optional<uint32_t> Object = accessed(Of.object);
  if (!Object)
    return;
  ApiAccess Access = {*Object, !Writes, Writes, 0, 0};
  const uint64_t Bytes = C.RowBytes * C.Rows * C.Slices;
  // A copy of all bytes of a CUDA array covers the array whatever its layout.
  if (contiguous(Of, C) || (Of.opaque && Bytes == T.Objects[*Object].Bytes)) {
    Access.Offset = Of.opaque ? 0 : Of.offset;
    Access.Bytes = Bytes;
  }
  A.Accesses.push_back(Access);
}

static bool isApi(const Copy &C) {
  const bool OnHost = C.To.host && (C.Set || C.From.host);
  return C.RowBytes != 0 && C.Rows != 0 && C.Slices != 0 &&
         !(OnHost && C.To.object == 0 && C.From.object == 0);
}

static HostRange hostRange(const log::CopyOperand &Of, const Copy &C) {
  if (C.RowBytes == 0 || C.Rows == 0 || C.Slices == 0)
    return {};
  return {Of.object, Of.offset,
          (C.Slices - 1) * Of.slicePitch + (C.Rows - 1) * Of.pitch + C.RowBytes, &Of == &C.To};
}

/// The caller enqueues it.
Api &Builder::copy(const Copy &C) {
  Api &A = add(C.Set ? ApiKind::Set : ApiKind::Copy, C.Api);
  A.TimeNs = C.BeginNs;
  A.EndNs = C.EndNs;
  A.Thread = C.Thread;
  A.CallPath = C.CallPath;
  A.WithHost = !C.Set && (C.To.host || C.From.host);
  if (A.WithHost)
    A.Host = hostRange(C.To.host ? C.To : C.From, C);
  if (!C.Set)
    access(A, C.From, C, false);
  access(A, C.To, C, true);
  return A;
}

void Builder::enqueueCopy(const Copy &C) {
  if (!isApi(C))
    return;
  Api &A = copy(C);
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

void Builder::enqueueLaunch(uint32_t Index) {
  const Launch &L = P.Launches[Index];
  Api &A = launch(Index);
  enqueue(A, Order.stream(L.Stream, L.Device, L.Thread), HostWait::None);
}

/// Adds the API of a graph node; returns false if the node is no GPU API.
bool Builder::addNode(const GraphNode &Node) {
  auto Object = InGraphs.find(Node.Object);
  switch (Node.Kind) {
  case log::GraphNodeKind::Launch:
    if (Node.Launch == None)
      add(ApiKind::Launch, "a kernel of a graph").Inferred = true;
    else
      launch(Node.Launch);
    return true;
  case log::GraphNodeKind::Copy:
    if (!isApi(Node.TheCopy))
      return false;
    copy(Node.TheCopy);
    return true;
  case log::GraphNodeKind::Allocation:
    if (Object == InGraphs.end())
      return false;
    addHostCall(ApiKind::Allocation, Object->second, Object->second.Made);
    // The previous launch's object ends here if nothing released it.
    if (auto Old = Alive.find(Node.Object); Old != Alive.end())
      T.Objects[Old->second].Release = last();
    T.Apis.back().Object = addObject(Object->second);
    T.Objects.back().Allocation = last();
    return true;
  case log::GraphNodeKind::Release: {
    auto It = Alive.find(Node.Object);
    if (Object == InGraphs.end() || It == Alive.end())
      return false;
    const std::optional<ObjectEvent> &E = Object->second.Released;
    addHostCall(ApiKind::Release, Object->second, E ? *E : ObjectEvent{.Api = "cudaFreeAsync"});
    T.Apis.back().Object = It->second;
    T.Objects[It->second].Release = last();
    Alive.erase(It);
    return true;
  }
  }
  return false;
}

/// Returns the nodes in topological order; `Before` receives each node's direct predecessors.
static std::vector<uint32_t> sorted(const GraphNodes &G,
                                    std::vector<std::vector<uint32_t>> &Before) {
  std::vector<std::vector<uint32_t>> Behind(G.Nodes.size());
  std::vector<uint32_t> Open(G.Nodes.size()), Order;
  Before.resize(G.Nodes.size());
  for (auto [From, To] : G.Edges) {
    Behind[From].push_back(To);
    Before[To].push_back(From);
    ++Open[To];
  }
  for (uint32_t I = 0; I < G.Nodes.size(); ++I)
    if (Open[I] == 0)
      Order.push_back(I);
  for (size_t I = 0; I < Order.size(); ++I)
    for (uint32_t Next : Behind[Order[I]])
      if (--Open[Next] == 0)
        Order.push_back(Next);
  return Order;
}

void Builder::graphLaunch(const GraphLaunch &L) {
  if (L.Nodes == None)
    return;
  const GraphNodes &G = P.Graphs[L.Nodes];
  std::vector<std::vector<uint32_t>> Before;
  const std::vector<uint32_t> Nodes = sorted(G, Before);
  using GraphApi = StreamOrder::GraphApi;
  StreamOrder::GraphRun Run =
      Order.beginGraph(L.Graph, Order.stream(L.Stream, L.Device, L.Thread), L.Thread);
  std::vector<uint32_t> LastOfLane;
  uint64_t Launched = 0;
  // Per node: the APIs that its successors wait for.
  std::vector<std::vector<GraphApi>> Ends(G.Nodes.size());
  for (uint32_t Node : Nodes) {
    std::vector<GraphApi> After;
    for (uint32_t Each : Before[Node])
      After.insert(After.end(), Ends[Each].begin(), Ends[Each].end());
    if (G.Nodes[Node] == None || !addNode(P.Nodes[G.Nodes[Node]])) {
      Ends[Node] = std::move(After);
      continue;
    }
    auto GoesOn = std::find_if(After.begin(), After.end(),
                               [&](GraphApi Each) { return LastOfLane[Each.Lane] == Each.Api; });
    const uint32_t Lane = GoesOn != After.end() ? GoesOn->Lane
                          : LastOfLane.empty()  ? 0
                                                : Order.addLane(Run);
    LastOfLane.resize(std::max<size_t>(LastOfLane.size(), Lane + 1));
    LastOfLane[Lane] = last();
    Ends[Node] = {{Lane, last()}};
    Api &A = T.Apis.back();
    A.Stream = Order.number(Run, Lane);
    A.Device = L.Device;
    A.TimeNs = L.TimeNs + Launched++; // distinct times keep the nodes in order
    A.EndNs = 0;
    A.Thread = L.Thread;
    if (A.CallPath == None)
      A.CallPath = L.CallPath;
    A.After = Order.graphWork(Run, {Lane, last()}, After);
  }
  Order.endGraph(Run, LastOfLane);
}

ApiTrace Builder::build() {
  for (const Object &O : P.Objects)
    if (O.Kind == ObjectKind::Graph)
      InGraphs[O.Id] = O;
  addVariables();
  const std::vector<Event> Events = events();
  for (const Event &E : Events)
    switch (E.Kind) {
    case EventKind::Allocation:
      allocation(P.Objects[E.Index]);
      break;
    case EventKind::Release: {
      const Object O = P.Objects[E.Index];
      release(O, *O.Released);
      break;
    }
    case EventKind::OtherRelease: {
      const GraphMemoryRelease R = P.GraphMemoryReleases[E.Index];
      release(P.Objects[R.Object], R.Event);
      break;
    }
    case EventKind::Launch:
      enqueueLaunch(E.Index);
      break;
    case EventKind::GraphLaunch:
      graphLaunch(P.GraphLaunches[E.Index]);
      break;
    case EventKind::Copy:
      enqueueCopy(P.Copies[E.Index]);
      break;
    case EventKind::Order:
      Order.order(P.Orders[E.Index]);
      break;
    }
  return std::move(T);
}

ApiTrace buildApiTrace(const Profile &P) { return Builder(P).build(); }

} // namespace gmprof
