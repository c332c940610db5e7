//===- Graphs.cpp - Graphs and their execution ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Graphs.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Device.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <unordered_set>

namespace gmprof::cpu::api {

namespace {

/// Handles of all nodes of all graphs.
struct NodeTable {
  gmprof::Mutex Mutex;
  std::unordered_set<const GraphNode *> Nodes GMPROF_GUARDED_BY(Mutex);
};

NodeTable &nodeTable() {
  static NodeTable &Table = *new NodeTable;
  return Table;
}

struct TypeOf {
  cudaGraphNodeType operator()(const KernelOp &) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const CopyOp &) const { return cudaGraphNodeTypeMemcpy; }
  cudaGraphNodeType operator()(const MemsetOp &) const { return cudaGraphNodeTypeMemset; }
  cudaGraphNodeType operator()(const HostOp &) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const CallbackOp &) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const EmptyOp &) const { return cudaGraphNodeTypeEmpty; }
  cudaGraphNodeType operator()(const EventRecordOp &) const { return cudaGraphNodeTypeEventRecord; }
  cudaGraphNodeType operator()(const EventWaitOp &) const { return cudaGraphNodeTypeWaitEvent; }
  cudaGraphNodeType operator()(const AllocOp &) const { return cudaGraphNodeTypeMemAlloc; }
  cudaGraphNodeType operator()(const FreeOp &) const { return cudaGraphNodeTypeMemFree; }
  cudaGraphNodeType operator()(const ChildOp &) const { return cudaGraphNodeTypeGraph; }
  cudaGraphNodeType operator()(const ConditionalOp &) const { return cudaGraphNodeTypeConditional; }
};

bool mayBeInBody(cudaGraphNodeType Type) {
  return Type == cudaGraphNodeTypeKernel || Type == cudaGraphNodeTypeEmpty ||
         Type == cudaGraphNodeTypeGraph || Type == cudaGraphNodeTypeMemset ||
         Type == cudaGraphNodeTypeMemcpy || Type == cudaGraphNodeTypeConditional;
}

/// Returns whether a graph can be executed; adds the conditions of its nodes to Used.
bool isExecutable(const Graph &G, bool InBody, std::set<const Condition *> &Used) {
  if (!G.sorted())
    return false;
  for (const auto &Node : G.Nodes) {
    if (InBody && !mayBeInBody(Node->type()))
      return false;
    if (auto *Child = Node->as<ChildOp>(); Child && !isExecutable(*Child->Child, InBody, Used))
      return false;
    const auto *Conditional = Node->as<ConditionalOp>();
    if (!Conditional)
      continue;
    Used.insert(Conditional->By.get());
    for (const auto &Body : Conditional->Bodies)
      if (!isExecutable(*Body, true, Used))
        return false;
  }
  return true;
}

} // namespace

cudaGraphNodeType GraphNode::type() const { return std::visit(TypeOf(), *Op); }

Graph::~Graph() {
  NodeTable &Table = nodeTable();
  LockGuard Lock(Table.Mutex);
  for (const auto &Node : Nodes)
    Table.Nodes.erase(Node.get());
}

GraphNode *Graph::add(Operation Op, std::span<GraphNode *const> After) {
  auto Node = std::make_unique<GraphNode>();
  Node->Owner = this;
  Node->setOperation(std::move(Op));
  Node->DependsOn.assign(After.begin(), After.end());
  Nodes.push_back(std::move(Node));
  NodeTable &Table = nodeTable();
  LockGuard Lock(Table.Mutex);
  Table.Nodes.insert(Nodes.back().get());
  return Nodes.back().get();
}

void Graph::remove(GraphNode *Node) {
  {
    NodeTable &Table = nodeTable();
    LockGuard Lock(Table.Mutex);
    Table.Nodes.erase(Node);
  }
  for (const auto &Other : Nodes)
    std::erase(Other->DependsOn, Node);
  std::erase_if(Nodes, [&](const auto &N) { return N.get() == Node; });
}

size_t Graph::indexOf(const GraphNode *Node) const {
  return std::find_if(Nodes.begin(), Nodes.end(), [&](const auto &N) { return N.get() == Node; }) -
         Nodes.begin();
}

std::shared_ptr<Graph> Graph::clone() const {
  auto Copy = std::make_shared<Graph>();
  Copy->Held = Held;
  Copy->Handles = Handles;
  std::unordered_map<const GraphNode *, GraphNode *> CopyOf;
  for (const auto &Node : Nodes) {
    Operation Op = *Node->Op;
    if (auto *Child = std::get_if<ChildOp>(&Op))
      Child->Child = Child->Child->clone();
    if (auto *Conditional = std::get_if<ConditionalOp>(&Op)) {
      for (auto &Body : Conditional->Bodies)
        Body = Body->clone();
      Conditional->Handles = nullptr;
    }
    GraphNode *New = Copy->add(std::move(Op), {});
    New->Original = Node.get();
    CopyOf[Node.get()] = New;
  }
  for (const auto &Node : Nodes)
    for (const GraphNode *Before : Node->DependsOn)
      CopyOf[Node.get()]->DependsOn.push_back(CopyOf[Before]);
  return Copy;
}

GraphNode *Graph::cloneOf(const GraphNode *Original) const {
  for (const auto &Node : Nodes)
    if (Node->Original == Original)
      return Node.get();
  return nullptr;
}

std::optional<std::vector<GraphNode *>> Graph::sorted() const {
  std::unordered_map<const GraphNode *, size_t> Missing;
  std::unordered_map<const GraphNode *, std::vector<GraphNode *>> Dependents;
  std::vector<GraphNode *> Order;
  for (const auto &Node : Nodes) {
    Missing[Node.get()] = Node->DependsOn.size();
    for (const GraphNode *Before : Node->DependsOn)
      Dependents[Before].push_back(Node.get());
    if (Node->DependsOn.empty())
      Order.push_back(Node.get());
  }
  for (size_t I = 0; I != Order.size(); ++I)
    for (GraphNode *Next : Dependents[Order[I]])
      if (--Missing[Next] == 0)
        Order.push_back(Next);
  if (Order.size() != Nodes.size())
    return std::nullopt;
  return Order;
}

bool Graph::isConditional() const {
  return IsBody || std::any_of(Nodes.begin(), Nodes.end(), [](const auto &Node) {
           return Node->template as<ConditionalOp>() != nullptr;
         });
}

bool Graph::isExecutable() const {
  std::set<const Condition *> Used;
  return api::isExecutable(*this, false, Used) &&
         std::all_of(Handles->begin(), Handles->end(),
                     [&](const auto &Each) { return Used.count(Each.get()) != 0; });
}

GraphHandles::GraphHandles(const std::vector<std::shared_ptr<Graph>> &Graphs) {
  for (const std::shared_ptr<Graph> &G : Graphs)
    All.push_back(static_cast<cudaGraph_t>(graphs().add(G)));
}

GraphHandles::~GraphHandles() {
  for (cudaGraph_t Each : All)
    graphs().remove(Each);
}

TaskRef startNodes(const Graph &G, std::span<const TaskRef> After, Device &Dev, int Priority,
                   const std::set<const GraphNode *> &Disabled) {
  static const OperationRef Empty = std::make_shared<const Operation>(EmptyOp());
  TaskRef Begin = scheduler().submitBrief({}, After);
  std::unordered_map<const GraphNode *, TaskRef> Started;
  std::vector<TaskRef> All;
  const std::vector<GraphNode *> Order = G.sorted().value();
  for (GraphNode *Node : Order) {
    std::vector<TaskRef> Before;
    for (const GraphNode *N : Node->DependsOn)
      Before.push_back(Started[N]);
    if (Before.empty())
      Before.push_back(Begin);
    TaskRef T = start(Disabled.count(Node) ? Empty : Node->Op, Before, Dev, Priority);
    Started[Node] = T;
    All.push_back(std::move(T));
  }
  All.push_back(Begin);
  return scheduler().submitBrief({}, All);
}

cudaError_t ExecutableGraph::launch(Stream &S) {
  LockGuard Lock(Mutex);
  if (std::optional<cudaError_t> Captured = capture(S, ChildOp{Copy}))
    return *Captured;
  Last = S.Dev.append(S, [&, Before = Last, Skipped = Disabled](std::vector<TaskRef> After) {
    After.push_back(Before);
    auto SetDefaults = [Of = Copy->Handles] {
      for (const auto &Each : *Of)
        Each->launched();
    };
    const TaskRef Begin = scheduler().submitBrief(SetDefaults, After);
    return startNodes(*Copy, {&Begin, 1}, S.Dev, S.Priority, Skipped);
  });
  return cudaSuccess;
}

void ExecutableGraph::replace(GraphNode *Node, Operation New) {
  LockGuard Lock(Mutex);
  Node->setOperation(std::move(New));
}

void ExecutableGraph::setEnabled(const GraphNode *Node, bool Enabled) {
  LockGuard Lock(Mutex);
  if (Enabled)
    Disabled.erase(Node);
  else
    Disabled.insert(Node);
}

bool ExecutableGraph::enabled(const GraphNode *Node) {
  LockGuard Lock(Mutex);
  return Disabled.count(Node) == 0;
}

/// Compares the shapes of two graphs and of their bodies.
static cudaGraphExecUpdateResult compareShapes(const Graph &Old, const Graph &From,
                                               const GraphNode *&Offending) {
  if (From.Nodes.size() != Old.Nodes.size())
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t I = 0; I != From.Nodes.size(); ++I) {
    const GraphNode &Node = *Old.Nodes[I];
    Offending = From.Nodes[I].get();
    if (Node.type() != Offending->type())
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (Node.DependsOn.size() != Offending->DependsOn.size())
      return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t D = 0; D != Node.DependsOn.size(); ++D)
      if (Old.indexOf(Node.DependsOn[D]) != From.indexOf(Offending->DependsOn[D]))
        return cudaGraphExecUpdateErrorTopologyChanged;
    const auto *Is = Node.as<ConditionalOp>(), *Becomes = Offending->as<ConditionalOp>();
    if (!Is)
      continue;
    if (Is->Type != Becomes->Type || Is->Bodies.size() != Becomes->Bodies.size())
      return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t B = 0; B != Is->Bodies.size(); ++B)
      if (auto Result = compareShapes(*Is->Bodies[B], *Becomes->Bodies[B], Offending);
          Result != cudaGraphExecUpdateSuccess)
        return Result;
  }
  Offending = nullptr;
  return cudaGraphExecUpdateSuccess;
}

cudaGraphExecUpdateResult ExecutableGraph::update(const Graph &From, const GraphNode *&Offending) {
  LockGuard Lock(Mutex);
  if (auto Result = compareShapes(*Copy, From, Offending); Result != cudaGraphExecUpdateSuccess)
    return Result;
  std::shared_ptr<Graph> New = From.clone();
  for (size_t I = 0; I != From.Nodes.size(); ++I)
    Copy->Nodes[I]->Op = New->Nodes[I]->Op;
  Copy->Handles = New->Handles;
  return cudaGraphExecUpdateSuccess;
}

HandleTable<Graph> &graphs() {
  static HandleTable<Graph> &Graphs = *new HandleTable<Graph>;
  return Graphs;
}

HandleTable<ExecutableGraph> &executableGraphs() {
  static HandleTable<ExecutableGraph> &Graphs = *new HandleTable<ExecutableGraph>;
  return Graphs;
}

GraphNode *findNode(cudaGraphNode_t Handle) {
  auto *Node = reinterpret_cast<GraphNode *>(Handle);
  NodeTable &Table = nodeTable();
  LockGuard Lock(Table.Mutex);
  return Table.Nodes.count(Node) ? Node : nullptr;
}

cudaGraphNode_t handle(const GraphNode *Node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode *>(Node));
}

std::optional<std::vector<GraphNode *>> findNodes(const Graph &G, const cudaGraphNode_t *Handles,
                                                  size_t Count) {
  std::vector<GraphNode *> Found;
  if (Count != 0 && !Handles)
    return std::nullopt;
  for (size_t I = 0; I != Count; ++I) {
    GraphNode *Node = findNode(Handles[I]);
    if (!Node || Node->Owner != &G)
      return std::nullopt;
    Found.push_back(Node);
  }
  return Found;
}

} // namespace gmprof::cpu::api
