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
#include <set>

namespace gmprof::cpu::api {

struct GraphNode {
  Graph *Owner = nullptr;
  OperationRef Op;
  std::vector<GraphNode *> DependsOn;
  const GraphNode *Original = nullptr; ///< the node that this one was cloned from
  std::vector<void *> Pointers;        ///< to the arguments, for cudaGraphKernelNodeGetParams

  void setOperation(Operation New) { Op = std::make_shared<const Operation>(std::move(New)); }
  template <typename T> const T *as() const { return std::get_if<T>(Op.get()); }
  cudaGraphNodeType type() const;
};

class ExecutableGraph;

class Graph : public std::enable_shared_from_this<Graph> {
public:
  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  std::vector<std::unique_ptr<GraphNode>> Nodes;
  std::vector<std::shared_ptr<UserObjectHold>> Held;
  std::shared_ptr<Conditions> Handles = std::make_shared<Conditions>();
  bool IsBody = false; ///< of a conditional node

  GraphNode *add(Operation Op, std::span<GraphNode *const> After);
  void remove(GraphNode *Node);
  std::shared_ptr<Graph> clone() const;
  GraphNode *cloneOf(const GraphNode *Original) const;
  size_t indexOf(const GraphNode *Node) const;

  /// The nodes, each after those that it depends on; nothing if there is a cycle.
  std::optional<std::vector<GraphNode *>> sorted() const;

  /// It, or the graph that it is a body in, has conditional nodes: it is not copied, nor
  /// part of another graph.
  bool isConditional() const;
  /// Its nodes and those of bodies can be put into an order, bodies have none but those
  /// that they may have, and each handle has its node.
  bool isExecutable() const;

  /// Of a graph with conditional nodes, of which there is one at a time.
  std::weak_ptr<ExecutableGraph> Executable;
};

/// Makes the bodies of a conditional node known to the program, while it exists.
class GraphHandles {
public:
  explicit GraphHandles(const std::vector<std::shared_ptr<Graph>> &Graphs);
  ~GraphHandles();
  GraphHandles(const GraphHandles &) = delete;
  GraphHandles &operator=(const GraphHandles &) = delete;

  std::vector<cudaGraph_t> All;
};

/// Starts a graph's nodes; the result is done when all are.
TaskRef startNodes(const Graph &G, std::span<const TaskRef> After, Device &Dev, int Priority,
                   const std::set<const GraphNode *> &Disabled = {});

/// An instantiated graph: a copy that later changes of the graph do not touch.
class ExecutableGraph {
public:
  ExecutableGraph(const Graph &Source, unsigned long long Flags)
      : Flags(Flags), Copy(Source.clone()) {}

  const unsigned long long Flags;

  cudaError_t launch(Stream &S);
  /// Null if `Original` is not a node of the graph that was instantiated.
  GraphNode *nodeFor(const GraphNode *Original) const { return Copy->cloneOf(Original); }
  void replace(GraphNode *Node, Operation New);
  void setEnabled(const GraphNode *Node, bool Enabled);
  bool enabled(const GraphNode *Node);

  /// Takes over the operations of a graph of the same shape.
  cudaGraphExecUpdateResult update(const Graph &From, const GraphNode *&Offending);

private:
  std::mutex Mutex;
  std::shared_ptr<Graph> Copy;
  std::set<const GraphNode *> Disabled;
  TaskRef Last; ///< launches of one executable graph follow each other
};

HandleTable<Graph> &graphs();
HandleTable<ExecutableGraph> &executableGraphs();

/// Null if the handle is not a node's.
GraphNode *findNode(cudaGraphNode_t Handle);
cudaGraphNode_t handle(const GraphNode *Node);
/// Nothing if one of them is not a node of the graph.
std::optional<std::vector<GraphNode *>> findNodes(const Graph &G, const cudaGraphNode_t *Handles,
                                                  size_t Count);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GRAPHS_H
