//===- GraphsTest.cpp - Captured launches and kernel nodes ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "profile/ApiTraceBuilder.h"

namespace gmprof::host {
namespace {

class GraphsTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    addKernel(&StubA, "add");
  }
  cudaGraph_t capture(std::initializer_list<int> Values) {
    cudaGraph_t Graph = nullptr;
    cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
    for (int Value : Values)
      EXPECT_EQ(launch(&StubA, Value, Stream1), cudaSuccess);
    cudaStreamEndCapture(Stream1, &Graph);
    return Graph;
  }
  cudaGraphExec_t instantiate(cudaGraph_t Graph) {
    cudaGraphExec_t Exec = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
    return Exec;
  }
  cudaKernelNodeParams params(int &Value) {
    To = &Out;
    Args[0] = &To;
    Args[1] = &Value;
    cudaKernelNodeParams P = {};
    P.func = const_cast<char *>(&StubA);
    P.gridDim = 2;
    P.blockDim = 32;
    P.kernelParams = Args;
    return P;
  }
  int *To = nullptr;
  void *Args[2];
};

TEST_F(GraphsTest, CaptureAsTheFirstThingThatHappens) {
  cudaGraph_t Graph = capture({5});
  EXPECT_EQ(fake::captureViolations(), 0);
  EXPECT_EQ(fake::foreignNodes(Graph), 0u); // nothing of ours in the program's graph
  EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  EXPECT_EQ(Out, 0);
  cudaGraphExec_t Exec = instantiate(Graph);
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(cudaGraphLaunch(Exec, Stream1), cudaSuccess);
  EXPECT_EQ(Out, 30);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_TRUE(P.Launches[0].Graph);
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Sums[0], 30u);
  EXPECT_EQ(P.Shared[0].Blocks, 6u);
  EXPECT_EQ(P.Shared[0].Context, P.Launches[0].Context);
}

TEST_F(GraphsTest, OneThatWasNotSeenToBeMadeMayAccessAnything) {
  launch(&StubA, 100);
  cudaGraphExec_t Exec = nullptr;
  {
    Inside Guard; // not by functions that are interposed
    Exec = instantiate(capture({5}));
  }
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream1), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream1), cudaSuccess);
  EXPECT_EQ(Out, 220);
  profile::Profile P = finish();
  EXPECT_EQ(P.PlainGraphNodes, 2u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "graph launches");
  EXPECT_EQ(P.Gaps[0].Count, 2u);
  profile::ApiTrace T = buildApiTrace(P);
  ASSERT_EQ(T.Apis.size(), 3u);
  for (size_t I = 1; I < 3; ++I) {
    EXPECT_EQ(T.Apis[I].Kind, profile::ApiKind::Launch);
    EXPECT_TRUE(T.Apis[I].Inferred);
  }
}

TEST_F(GraphsTest, EachNodeHasItsOwnContext) {
  cudaGraphExec_t Exec = instantiate(capture({5, 7}));
  launch(&StubA, 100);
  cudaGraphLaunch(Exec, Stream1);
  cudaGraphLaunch(Exec, Stream2);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 3u);
  std::map<uint64_t, uint64_t> ByContext;
  for (const profile::SharedCounts &C : P.Shared)
    ByContext[C.Context] = C.Sums[0];
  EXPECT_EQ(ByContext[P.Launches[0].Context], 20u);
  EXPECT_EQ(ByContext[P.Launches[1].Context], 28u);
  EXPECT_EQ(ByContext[P.Launches[2].Context], 200u);
  EXPECT_EQ(Session::current(), nullptr);
}

TEST_F(GraphsTest, EachReplayIsTheNodesAgain) {
  cudaGraph_t Graph = capture({5, 7});
  cudaGraphExec_t First = instantiate(Graph), Second = instantiate(Graph);
  cudaGraphLaunch(First, Stream1);
  cudaGraphLaunch(Second, Stream1);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
  profile::Profile P = finish();
  EXPECT_EQ(P.Nodes.size(), 2u);
  EXPECT_EQ(P.Graphs.size(), 2u);
  profile::ApiTrace T = buildApiTrace(P);
  ASSERT_EQ(T.Apis.size(), 4u);
  for (uint32_t I = 0; I < 4; ++I) {
    EXPECT_EQ(T.Apis[I].Name, "add");
    EXPECT_EQ(T.Apis[I].Launch, I % 2);
    EXPECT_EQ(T.Apis[I].Stream, 1u);
    EXPECT_EQ(T.Apis[I].Thread, static_cast<uint32_t>(gettid()));
    EXPECT_EQ(T.Apis[I].TimeNs, P.GraphLaunches[I / 2].TimeNs + I % 2) << "one after the other";
  }
}

TEST_F(GraphsTest, ANodeWithOtherParametersIsAnotherLaunch) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  int Value = 5;
  cudaGraphCreate(&Graph, 0);
  cudaKernelNodeParams P = params(Value);
  ASSERT_EQ(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &P), cudaSuccess);
  cudaGraphExec_t Exec = instantiate(Graph);
  cudaGraphLaunch(Exec, Stream1);
  P.gridDim = 3;
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(Exec, Node, &P), cudaSuccess);
  cudaGraphLaunch(Exec, Stream1);
  profile::Profile Found = finish();
  profile::ApiTrace T = buildApiTrace(Found);
  ASSERT_EQ(T.Apis.size(), 2u);
  EXPECT_EQ(T.Apis[0].Launch, 0u);
  // Counts that continue in the same context have no other record.
  EXPECT_EQ(T.Apis[1].Launch, Found.Launches.size() - 1);
}

TEST_F(GraphsTest, ReplaysAreLaunches) {
  launch(&StubA, 1);
  cudaGraphExec_t Exec = instantiate(capture({5, 7}));
  for (int I = 0; I < 4; ++I)
    cudaGraphLaunch(Exec, Stream1);
  EXPECT_EQ(Session::current()->log().launches(), 1u + 4 * 2);
  EXPECT_EQ(Session::current()->log().kernels(), 1u);
}

TEST_F(GraphsTest, AddedNode) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  int Value = 5;
  cudaGraphCreate(&Graph, 0);
  cudaKernelNodeParams P = params(Value);
  ASSERT_EQ(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &P), cudaSuccess);
  cudaGraphExec_t Exec = instantiate(Graph);
  cudaGraphLaunch(Exec, Stream1);
  EXPECT_EQ(Out, 10);
  profile::Profile Result = finish();
  ASSERT_EQ(Result.Shared.size(), 1u);
  EXPECT_EQ(Result.Shared[0].Sums[0], 10u);
}

TEST_F(GraphsTest, RefusedNode) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  int Value = 5;
  launch(&StubA, 1);
  cudaGraphCreate(&Graph, 0);
  cudaKernelNodeParams P = params(Value);
  P.blockDim = 0;
  EXPECT_EQ(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &P), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(finish().Launches.size(), 1u);
}

TEST_F(GraphsTest, ProgramSeesItsOwnNode) {
  cudaGraph_t Graph = capture({5});
  cudaGraphNode_t Node = nullptr;
  size_t Count = 1;
  cudaGraphGetNodes(Graph, &Node, &Count);
  cudaKernelNodeParams P = {};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(Node, &P), cudaSuccess);
  EXPECT_EQ(P.func, &StubA);
  EXPECT_EQ(P.gridDim.x, 2u);
  EXPECT_EQ(P.blockDim.x, 32u);
  EXPECT_EQ(P.sharedMemBytes, 0u);
  EXPECT_EQ(*static_cast<int *>(P.kernelParams[1]), 5);

  // Changes a node whose arguments are part of the node.
  P.gridDim.x = 3;
  ASSERT_EQ(cudaGraphKernelNodeSetParams(Node, &P), cudaSuccess);
  cudaGraphLaunch(instantiate(Graph), Stream1);
  EXPECT_EQ(Out, 15);
  profile::Profile Result = finish();
  uint64_t Sum = 0;
  for (const profile::SharedCounts &C : Result.Shared)
    Sum += C.Sums[0];
  EXPECT_EQ(Sum, 15u);
}

TEST_F(GraphsTest, ChangedExecutableKeepsItsContext) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  int Value = 5;
  cudaGraphCreate(&Graph, 0);
  cudaKernelNodeParams P = params(Value);
  cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &P);
  cudaGraphExec_t Exec = instantiate(Graph);
  for (int I = 0; I < 300; ++I) {
    Value = I;
    ASSERT_EQ(cudaGraphExecKernelNodeSetParams(Exec, Node, &P), cudaSuccess);
    cudaGraphLaunch(Exec, Stream1);
  }
  EXPECT_EQ(Out, 2 * 299 * 300 / 2);
  profile::Profile Result = finish();
  EXPECT_EQ(Result.Launches.size(), 1u);
  ASSERT_EQ(Result.Shared.size(), 1u);
  EXPECT_EQ(Result.Shared[0].Sums[0], uint64_t(2 * 299 * 300 / 2));
}

TEST_F(GraphsTest, DriverRefusesTheNode) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  int Value = 5;
  cudaGraphCreate(&Graph, 0);
  fake::fail("cuGraphKernelNodeSetParams", CUDA_ERROR_INVALID_VALUE);
  cudaKernelNodeParams P = params(Value);
  ASSERT_EQ(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &P), cudaSuccess);
  cudaGraphLaunch(instantiate(Graph), Stream1);
  EXPECT_EQ(Out, 10);
  profile::Profile Result = finish();
  ASSERT_EQ(Result.Launches.size(), 1u);
  EXPECT_EQ(Result.Launches[0].Mode, log::LaunchMode::Refused);
  EXPECT_EQ(Result.Launches[0].Reason,
            "its clone could not be put into the graph: CUDA driver error 1");
  EXPECT_EQ(Result.Shared.size(), 0u);
}

TEST_F(GraphsTest, ChildGraph) {
  cudaGraph_t Child = capture({5}), Parent = nullptr;
  cudaGraphNode_t Node = nullptr;
  cudaGraphCreate(&Parent, 0);
  cudaGraphAddChildGraphNode(&Node, Parent, nullptr, 0, Child);
  cudaGraphExec_t Exec = instantiate(Parent);
  cudaGraphLaunch(Exec, Stream1);
  cudaGraphLaunch(Exec, Stream1);
  EXPECT_EQ(Session::current()->log().launches(), 2u);
  profile::Profile Result = finish();
  ASSERT_EQ(Result.Shared.size(), 1u);
  EXPECT_EQ(Result.Shared[0].Sums[0], 20u);
}

TEST_F(GraphsTest, DestroyedExecutableIsStillRead) {
  cudaGraphExec_t Exec = instantiate(capture({5}));
  fake::hold(Stream1);
  cudaGraphLaunch(Exec, Stream1);
  cudaGraphExecDestroy(Exec);
  fake::release(Stream1);
  profile::Profile Result = finish();
  ASSERT_EQ(Result.Shared.size(), 1u);
  EXPECT_EQ(Result.Shared[0].Sums[0], 10u);
}

} // namespace
} // namespace gmprof::host
