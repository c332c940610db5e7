//===- GraphTest.cpp - Graphs ---------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

class GraphsOf : public Program {
protected:
  GraphsOf() {
    EXPECT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&S), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 64, cudaMemAttachGlobal),
              cudaSuccess);
  }

  /// Adds a node that stores a value.
  cudaGraphNode_t storeNode(int *To, int Value, std::vector<cudaGraphNode_t> After = {}) {
    void *Arguments[] = {&To, &Value};
    cudaKernelNodeParams P = storeParams(Arguments);
    cudaGraphNode_t Node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&Node, G, After.data(), After.size(), &P), cudaSuccess);
    return Node;
  }

  cudaKernelNodeParams storeParams(void **Arguments) {
    cudaKernelNodeParams P = {};
    P.func = &Store;
    P.gridDim = P.blockDim = dim3(1);
    P.kernelParams = Arguments;
    return P;
  }

  cudaGraphExec_t instantiate() {
    cudaGraphExec_t Executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaSuccess);
    return Executable;
  }

  void launch(cudaGraphExec_t Executable) {
    ASSERT_EQ(cudaGraphLaunch(Executable, S), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  }

  cudaGraph_t G;
  cudaStream_t S;
  int *Cell;
};

using Graphs = GraphsOf;

} // namespace

TEST_F(Graphs, RunNodesInTheirOrder) {
  cudaGraphNode_t First = storeNode(Cell, 1), Second = storeNode(Cell, 2, {First});
  int *To = Cell + 1;
  cudaGraphNode_t Copy;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&Copy, G, &Second, 1, To, Cell, 4, cudaMemcpyDefault),
            cudaSuccess);
  cudaMemsetParams M = {Cell + 2, 0, 0x01020304, 4, 2, 1};
  cudaGraphNode_t Memset;
  ASSERT_EQ(cudaGraphAddMemsetNode(&Memset, G, nullptr, 0, &M), cudaSuccess);
  launch(instantiate());
  EXPECT_EQ(Cell[0], 2);
  EXPECT_EQ(Cell[1], 2);
  EXPECT_EQ(Cell[2], 0x01020304);
  EXPECT_EQ(Cell[3], 0x01020304);
}

TEST_F(Graphs, StructureIsCheckedAndListed) {
  cudaGraphNode_t A = storeNode(Cell, 1), B = storeNode(Cell, 2, {A}), C = storeNode(Cell, 3);
  EXPECT_EQ(cudaGraphAddDependencies(G, &A, &B, nullptr, 1),
            cudaErrorInvalidValue); // already present
  EXPECT_EQ(cudaGraphAddDependencies(G, &A, &A, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRemoveDependencies(G, &A, &C, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(G, &B, &C, nullptr, 1), cudaSuccess);
  cudaGraphNode_t From[3] = {}, To[3] = {};
  size_t Count = 3;
  ASSERT_EQ(cudaGraphGetEdges(G, From, To, nullptr, &Count), cudaSuccess);
  EXPECT_EQ(Count, 2u);
  EXPECT_EQ(From[0], A);
  EXPECT_EQ(To[0], B);
  EXPECT_EQ(From[1], B);
  EXPECT_EQ(To[1], C);
  EXPECT_EQ(From[2], nullptr);
  Count = 1;
  cudaGraphNode_t Node = nullptr;
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(A, &Node, nullptr, &Count), cudaSuccess);
  EXPECT_EQ(Node, B);
  ASSERT_EQ(cudaGraphNodeGetDependencies(C, &Node, nullptr, &Count), cudaSuccess);
  EXPECT_EQ(Node, B);
  // A cycle is accepted and fails to instantiate.
  EXPECT_EQ(cudaGraphAddDependencies(G, &C, &A, nullptr, 1), cudaSuccess);
  cudaGraphExec_t Executable;
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroyNode(B), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroyNode(B), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaSuccess);
}

TEST_F(Graphs, BadLaunchesAreRefusedWhenAdded) {
  cudaKernelNodeParams P = {};
  P.func = &Nothing;
  P.gridDim = dim3(1);
  P.blockDim = dim3(2000);
  cudaGraphNode_t Node;
  EXPECT_EQ(cudaGraphAddKernelNode(&Node, G, nullptr, 0, &P), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddKernelNode(&Node, G, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&Node, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(Graphs, LaterChangesDoNotReachExecutables) {
  cudaGraphNode_t Node = storeNode(Cell, 1);
  cudaGraphExec_t Before = instantiate();
  int Value = 2;
  void *Arguments[] = {&Cell, &Value};
  cudaKernelNodeParams P = storeParams(Arguments);
  ASSERT_EQ(cudaGraphKernelNodeSetParams(Node, &P), cudaSuccess);
  launch(Before);
  EXPECT_EQ(*Cell, 1);
  launch(instantiate());
  EXPECT_EQ(*Cell, 2);
  Value = 3;
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(Before, Node, &P), cudaSuccess);
  launch(Before);
  EXPECT_EQ(*Cell, 3);
  ASSERT_EQ(cudaGraphDestroy(G), cudaSuccess);
  launch(Before);
  EXPECT_EQ(*Cell, 3);
}

TEST_F(Graphs, NodesTellTheirParameters) {
  cudaGraphNode_t Node = storeNode(Cell, 7);
  cudaKernelNodeParams P = {};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(Node, &P), cudaSuccess);
  EXPECT_EQ(P.func, &Store);
  EXPECT_EQ(P.gridDim.x, 1u);
  EXPECT_EQ(*static_cast<int **>(P.kernelParams[0]), Cell);
  EXPECT_EQ(*static_cast<int *>(P.kernelParams[1]), 7);
  cudaMemcpy3DParms Copy;
  EXPECT_EQ(cudaGraphMemcpyNodeGetParams(Node, &Copy), cudaErrorInvalidValue);
  cudaHostNodeParams HostParams = {[](void *) {}, Cell}, Got = {};
  cudaGraphNode_t HostNode;
  ASSERT_EQ(cudaGraphAddHostNode(&HostNode, G, nullptr, 0, &HostParams), cudaSuccess);
  ASSERT_EQ(cudaGraphHostNodeGetParams(HostNode, &Got), cudaSuccess);
  EXPECT_EQ(Got.fn, HostParams.fn);
  EXPECT_EQ(Got.userData, Cell);
}

TEST_F(Graphs, ClonesAndChildrenAreCopies) {
  cudaGraphNode_t Node = storeNode(Cell, 1), InClone;
  cudaGraph_t Clone;
  ASSERT_EQ(cudaGraphClone(&Clone, G), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeFindInClone(&InClone, Node, Clone), cudaSuccess);
  EXPECT_NE(InClone, Node);
  cudaGraph_t Parent;
  ASSERT_EQ(cudaGraphCreate(&Parent, 0), cudaSuccess);
  cudaGraphNode_t Child;
  ASSERT_EQ(cudaGraphAddChildGraphNode(&Child, Parent, nullptr, 0, G), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroyNode(Node), cudaSuccess);
  std::swap(G, Parent);
  storeNode(Cell + 1, 5, {Child});
  launch(instantiate());
  EXPECT_EQ(Cell[0], 1);
  EXPECT_EQ(Cell[1], 5);
}

TEST_F(Graphs, UpdateTakesOverParametersOfTheSameShape) {
  cudaGraphNode_t A = storeNode(Cell, 1);
  storeNode(Cell + 1, 2, {A});
  cudaGraphExec_t Executable = instantiate();
  cudaGraph_t Old = G;
  ASSERT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
  A = storeNode(Cell, 10);
  cudaGraphExecUpdateResultInfo Info;
  EXPECT_EQ(cudaGraphExecUpdate(Executable, G, &Info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(Info.result, cudaGraphExecUpdateErrorTopologyChanged);
  storeNode(Cell + 1, 20, {A});
  EXPECT_EQ(cudaGraphExecUpdate(Executable, G, &Info), cudaSuccess);
  EXPECT_EQ(Info.result, cudaGraphExecUpdateSuccess);
  launch(Executable);
  EXPECT_EQ(Cell[0], 10);
  EXPECT_EQ(Cell[1], 20);
  (void)Old;
}

TEST_F(Graphs, NodesCanBeDisabled) {
  cudaGraphNode_t A = storeNode(Cell, 1), B = storeNode(Cell, 2, {A});
  cudaGraphExec_t Executable = instantiate();
  ASSERT_EQ(cudaGraphNodeSetEnabled(Executable, B, 0), cudaSuccess);
  unsigned Enabled = 1;
  ASSERT_EQ(cudaGraphNodeGetEnabled(Executable, B, &Enabled), cudaSuccess);
  EXPECT_EQ(Enabled, 0u);
  launch(Executable);
  EXPECT_EQ(*Cell, 1);
}

TEST_F(Graphs, LaunchesFollowEachOtherAndTheirStream) {
  cudaStream_t Other;
  ASSERT_EQ(cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking), cudaSuccess);
  storeNode(Cell, 1);
  cudaGraphExec_t Executable = instantiate();
  makeBusy(S);
  ASSERT_EQ(cudaGraphLaunch(Executable, S), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(Executable, Other), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(Other), cudaErrorNotReady); // behind the first launch
  EXPECT_EQ(*Cell, 0);
  open();
  ASSERT_EQ(cudaStreamSynchronize(Other), cudaSuccess);
  EXPECT_EQ(*Cell, 1);
}

TEST_F(Graphs, IndependentNodesRunConcurrently) {
  static std::latch Both{2};
  cudaHostNodeParams P = {[](void *) { Both.arrive_and_wait(); }, nullptr};
  cudaGraphNode_t A, B;
  ASSERT_EQ(cudaGraphAddHostNode(&A, G, nullptr, 0, &P), cudaSuccess);
  ASSERT_EQ(cudaGraphAddHostNode(&B, G, nullptr, 0, &P), cudaSuccess);
  launch(instantiate());
}

TEST_F(Graphs, EventNodesOrderWithStreams) {
  cudaEvent_t E;
  ASSERT_EQ(cudaEventCreate(&E), cudaSuccess);
  cudaGraphNode_t Record;
  ASSERT_EQ(cudaGraphAddEventRecordNode(&Record, G, nullptr, 0, E), cudaSuccess);
  cudaEvent_t Got = nullptr;
  ASSERT_EQ(cudaGraphEventRecordNodeGetEvent(Record, &Got), cudaSuccess);
  EXPECT_EQ(Got, E);
  makeBusy(S);
  ASSERT_EQ(cudaGraphLaunch(instantiate(), S), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(E), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaEventSynchronize(E), cudaSuccess);
}

TEST_F(Graphs, GenericNodesAreLikeTheirOwnKind) {
  int Value = 4;
  void *Arguments[] = {&Cell, &Value};
  cudaGraphNodeParams P = {};
  P.type = cudaGraphNodeTypeKernel;
  P.kernel.func = &Store;
  P.kernel.gridDim = P.kernel.blockDim = dim3(1);
  P.kernel.kernelParams = Arguments;
  cudaGraphNode_t Node;
  ASSERT_EQ(cudaGraphAddNode(&Node, G, nullptr, nullptr, 0, &P), cudaSuccess);
  launch(instantiate());
  EXPECT_EQ(*Cell, 4);
}

TEST_F(Graphs, KeepUserObjectsAlive) {
  int Destroyed = 0;
  cudaUserObject_t Object;
  ASSERT_EQ(cudaUserObjectCreate(
                &Object, &Destroyed, [](void *Count) { ++*static_cast<int *>(Count); }, 1,
                cudaUserObjectNoDestructorSync),
            cudaSuccess);
  ASSERT_EQ(cudaGraphRetainUserObject(G, Object, 1, 0), cudaSuccess);
  ASSERT_EQ(cudaUserObjectRelease(Object, 1), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRelease(Object, 2), cudaErrorInvalidValue);
  cudaGraphExec_t Executable = instantiate();
  ASSERT_EQ(cudaGraphDestroy(G), cudaSuccess);
  EXPECT_EQ(Destroyed, 0);
  ASSERT_EQ(cudaGraphExecDestroy(Executable), cudaSuccess);
  EXPECT_EQ(Destroyed, 1);
  EXPECT_EQ(cudaUserObjectRetain(Object, 1), cudaErrorInvalidValue);
}
