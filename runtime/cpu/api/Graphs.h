//===- Graphs.h - Graphs and their execution --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_GRAPHS_H
#define GMPROF_CPU_API_GRAPHS_H

#include "cpu/api/Conditions.h"
#include "cpu/api/Operations.h"
#include "cpu/api/UserObjects.h"
#include "profile/Mutex.h"
#include <set>

namespace gmprof::cpu::api {

/// Node of a graph.
struct GraphNode {
  Graph *Owner = nullptr;
  OperationRef Op;
  std::vector<GraphNode *> DependsOn;
  const GraphNode *Original = nullptr; ///< node from which this one was cloned
  std::vector<void *> Pointers;        ///< pointers to the arguments, for
                                       ///< cudaGraphKernelNodeGetParams

  void setOperation(Operation New) { Op = std::make_shared<const Operation>(std::move(New)); }
  template <typename T> const T *as() const { return std::get_if<T>(Op.get()); }
  cudaGraphNodeType type() const;
};

class ExecutableGraph;

/// CUDA graph. Nodes are owned by it.
class Graph : public std::enable_shared_from_this<Graph> {
public:
  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  std::vector<std::unique_ptr<GraphNode>> Nodes;
  std::vector<std::shared_ptr<UserObjectHold>> Held;
  std::shared_ptr<Conditions> Handles = std::make_shared<Conditions>();
  bool IsBody = false; ///< body of a conditional node

  GraphNode *add(Operation Op, std::span<GraphNode *const> After);
  void remove(GraphNode *Node);
  std::shared_ptr<Graph> clone() const;
  GraphNode *cloneOf(const GraphNode *Original) const;
  size_t indexOf(const GraphNode *Node) const;

  /// Returns the nodes in topological order; nothing if there is a cycle.
  std::optional<std::vector<GraphNode *>> sorted() const;

  /// Returns whether the graph, or the graph whose body it is, has conditional nodes: it is then
  /// neither cloned nor a child graph.
  bool isConditional() const;
  /// Returns whether the graph can be instantiated: its nodes and those of bodies have a
  /// topological order, bodies hold permitted nodes only, and each handle has a node.
  bool isExecutable() const;

  /// Executable graph of a graph with conditional nodes, which has at most one.
  std::weak_ptr<ExecutableGraph> Executable;
};

/// Registers the bodies of a conditional node in the handle table for the lifetime of the object.
class GraphHandles {
public:
  explicit GraphHandles(const std::vector<std::shared_ptr<Graph>> &Graphs);
  ~GraphHandles();
  GraphHandles(const GraphHandles &) = delete;
  GraphHandles &operator=(const GraphHandles &) = delete;

  std::vector<cudaGraph_t> All;
};

/// Starts a graph's nodes; returns a task that completes when all have.
TaskRef startNodes(const Graph &G, std::span<const TaskRef> After, Device &Dev, int Priority,
                   const std::set<const GraphNode *> &Disabled = {});

/// Instantiated graph: a copy, unaffected by later changes of the original.
class ExecutableGraph {
public:
  ExecutableGraph(const Graph &Source, unsigned long long Flags)
      : Flags(Flags), Copy(Source.clone()) {}

  const unsigned long long Flags;

  cudaError_t launch(Stream &S);
  /// Returns the copy of a node; null if `Original` is not in the instantiated graph.
  GraphNode *nodeFor(const GraphNode *Original) const { return Copy->cloneOf(Original); }
  void replace(GraphNode *Node, Operation New);
  void setEnabled(const GraphNode *Node, bool Enabled);
  bool enabled(const GraphNode *Node);

  /// Adopts the operations of a graph of the same shape.
  cudaGraphExecUpdateResult update(const Graph &From, const GraphNode *&Offending);

private:
  gmprof::Mutex Mutex;
  const std::shared_ptr<Graph> Copy; ///< its nodes' operations are guarded, too
  std::set<const GraphNode *> Disabled GMPROF_GUARDED_BY(Mutex);
  /// Last launch; launches of one executable graph are serialized.
  TaskRef Last GMPROF_GUARDED_BY(Mutex);
};

HandleTable<Graph> &graphs();
HandleTable<ExecutableGraph> &executableGraphs();

/// Returns the node of a handle; null if it is invalid.
GraphNode *findNode(cudaGraphNode_t Handle);
cudaGraphNode_t handle(const GraphNode *Node);
/// Returns the nodes of handles; nothing if one is not a node of the graph.
std::optional<std::vector<GraphNode *>> findNodes(const Graph &G, const cudaGraphNode_t *Handles,
                                                  size_t Count);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GRAPHS_H
