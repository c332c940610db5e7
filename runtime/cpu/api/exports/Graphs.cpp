//===- Graphs.cpp - Functions of graphs and their user objects ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/GraphCalls.h"

using namespace gmprof::cpu::api;

cudaError_t cudaGraphCreate(cudaGraph_t *Out, unsigned Flags) {
  return call([&] {
    if (!Out || Flags != 0)
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaGraph_t>(graphs().add(std::make_shared<Graph>()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t Handle) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    return !G->IsBody && graphs().remove(Handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *Out, cudaGraph_t Handle) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (G->isConditional())
      return cudaErrorNotSupported;
    *Out = static_cast<cudaGraph_t>(graphs().add(G->clone()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Out, cudaGraphNode_t Original,
                                     cudaGraph_t Clone) {
  return callOnGraph(Clone, [&](const std::shared_ptr<Graph> &G) {
    GraphNode *Node = findNode(Original);
    GraphNode *Found = Node ? G->cloneOf(Node) : nullptr;
    if (!Out || !Found)
      return cudaErrorInvalidValue;
    *Out = handle(Found);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Nodes;
    for (const auto &Node : G->Nodes)
      Nodes.push_back(Node.get());
    return giveNodes(Nodes, Out, Count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Roots;
    for (const auto &Node : G->Nodes)
      if (Node->DependsOn.empty())
        Roots.push_back(Node.get());
    return giveNodes(Roots, Out, Count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t Handle, cudaGraphNode_t *From, cudaGraphNode_t *To,
                              cudaGraphEdgeData *Edges, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Sources, Targets;
    for (const auto &Node : G->Nodes)
      for (GraphNode *Before : Node->DependsOn) {
        Sources.push_back(Before);
        Targets.push_back(Node.get());
      }
    if (!From != !To || !Count)
      return cudaErrorInvalidValue;
    size_t Asked = *Count;
    giveNodes(Sources, From, Count);
    *Count = Asked;
    giveNodes(Targets, To, Count);
    return clearEdges(Edges, Count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Handle, const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, const cudaGraphEdgeData *,
                                     size_t Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Sources = findNodes(*G, From, Count), Targets = findNodes(*G, To, Count);
    if (!Sources || !Targets)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I) {
      GraphNode *Source = (*Sources)[I], *Target = (*Targets)[I];
      if (Source == Target ||
          std::count(Target->DependsOn.begin(), Target->DependsOn.end(), Source))
        return cudaErrorInvalidValue;
      Target->DependsOn.push_back(Source);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Handle, const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To, const cudaGraphEdgeData *,
                                        size_t Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Sources = findNodes(*G, From, Count), Targets = findNodes(*G, To, Count);
    if (!Sources || !Targets)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I)
      if (std::erase((*Targets)[I]->DependsOn, (*Sources)[I]) == 0)
        return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// User objects
//===----------------------------------------------------------------------===//

cudaError_t cudaUserObjectCreate(cudaUserObject_t *Out, void *Pointer, cudaHostFn_t Destroy,
                                 unsigned Count, unsigned Flags) {
  return call([&] {
    if (!Out || !Destroy || Count == 0 || Flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaUserObject_t>(
        userObjects().add(std::make_shared<UserObject>(Pointer, Destroy, Count)));
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t Handle, unsigned Count) {
  return call([&] {
    std::shared_ptr<UserObject> Object = userObjects().find(Handle);
    return Object && Object->retain(Count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t Handle, unsigned Count) {
  return call([&] {
    std::shared_ptr<UserObject> Object = userObjects().find(Handle);
    return Object && Object->release(Count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t Handle, cudaUserObject_t ObjectHandle,
                                      unsigned Count, unsigned Flags) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::shared_ptr<UserObject> Object = userObjects().find(ObjectHandle);
    if (!Object || (Flags & ~unsigned(cudaGraphUserObjectMove)))
      return cudaErrorInvalidValue;
    // The caller has already counted a moved reference.
    if (!(Flags & cudaGraphUserObjectMove) && !Object->retain(Count))
      return cudaErrorInvalidValue;
    G->Held.push_back(std::make_shared<UserObjectHold>(Object, Count));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t Handle, cudaUserObject_t ObjectHandle,
                                       unsigned Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Same = [&](const std::shared_ptr<UserObjectHold> &Hold) {
      return Hold->Object == userObjects().find(ObjectHandle) && Hold->Count == Count;
    };
    auto Found = std::find_if(G->Held.begin(), G->Held.end(), Same);
    if (Found == G->Held.end())
      return cudaErrorInvalidValue;
    G->Held.erase(Found);
    return cudaSuccess;
  });
}
