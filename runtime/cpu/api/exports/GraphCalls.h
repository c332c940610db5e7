//===- GraphCalls.h - What the functions of graphs share --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_GRAPHCALLS_H
#define GMPROF_CPU_API_EXPORTS_GRAPHCALLS_H

#include "cpu/api/Graphs.h"
#include "cpu/api/exports/Call.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace gmprof::cpu::api {

template <typename F> cudaError_t callOnGraph(cudaGraph_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<Graph> G = graphs().find(Handle);
    return G ? Body(G) : cudaErrorInvalidValue;
  });
}

template <typename F> cudaError_t callOnNode(cudaGraphNode_t Handle, F Body) {
  return call([&] {
    GraphNode *Node = findNode(Handle);
    return Node ? Body(*Node) : cudaErrorInvalidValue;
  });
}

/// Runs a function of a node with this kind of operation.
template <typename Op, typename F> cudaError_t callOnNodeOf(cudaGraphNode_t Handle, F Body) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    const Op *Is = Node.as<Op>();
    return Is ? Body(Node, *Is) : cudaErrorInvalidValue;
  });
}

/// Runs a function of a node of an executable graph, identified by its original.
template <typename F>
cudaError_t callOnExecutable(cudaGraphExec_t Handle, cudaGraphNode_t NodeHandle, F Body) {
  return call([&] {
    std::shared_ptr<ExecutableGraph> G = executableGraphs().find(Handle);
    GraphNode *Node = G ? G->nodeFor(findNode(NodeHandle)) : nullptr;
    return Node ? Body(*G, *Node) : cudaErrorInvalidValue;
  });
}

/// Builds an operation, after the handles have been checked, and adds it as a node.
template <typename Make>
cudaError_t addNode(cudaGraphNode_t *Out, cudaGraph_t Handle, const cudaGraphNode_t *After,
                    size_t Count, Make MakeOperation) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Nodes = findNodes(*G, After, Count);
    if (!Out || !Nodes)
      return cudaErrorInvalidValue;
    Result<Operation> Op = MakeOperation();
    if (!Op)
      return Op.Error;
    *Out = handle(G->add(std::move(Op.Value), *Nodes));
    return cudaSuccess;
  });
}

/// Replaces a node's operation by one of the same kind.
inline cudaError_t setNode(GraphNode &Node, Result<Operation> Op) {
  if (!Op)
    return Op.Error;
  if (Op.Value.index() != Node.Op->index())
    return cudaErrorInvalidValue;
  Node.setOperation(std::move(Op.Value));
  return cudaSuccess;
}

inline cudaError_t setNode(ExecutableGraph &G, GraphNode &Node, Result<Operation> Op) {
  if (!Op)
    return Op.Error;
  if (Op.Value.index() != Node.Op->index())
    return cudaErrorInvalidValue;
  G.replace(&Node, std::move(Op.Value));
  return cudaSuccess;
}

/// Returns a list by CUDA's convention: without an array only the count; otherwise at most *Count
/// handles, and null in the remaining entries.
inline cudaError_t giveNodes(const std::vector<GraphNode *> &Nodes, cudaGraphNode_t *Out,
                             size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (Out)
    for (size_t I = 0; I != *Count; ++I)
      Out[I] = I < Nodes.size() ? handle(Nodes[I]) : nullptr;
  *Count = Out ? std::min(*Count, Nodes.size()) : Nodes.size();
  return cudaSuccess;
}

inline cudaError_t clearEdges(cudaGraphEdgeData *Edges, const size_t *Count) {
  if (Edges && Count)
    std::fill_n(Edges, *Count, cudaGraphEdgeData{});
  return cudaSuccess;
}

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EXPORTS_GRAPHCALLS_H
