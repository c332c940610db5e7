//===- ConditionTest.cpp - Conditional nodes of graphs --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected results were measured on an H100 with CUDA 13.0.
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

class ConditionsOf : public Program {
protected:
  ConditionsOf() {
    EXPECT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cells), 64, cudaMemAttachGlobal),
              cudaSuccess);
    std::fill_n(Cells, 16, 0);
    // Adds to a cell. If its target is a handle, sets that to a cell's value, and counts the cell
    // down to 0, then again from 3.
    defineKernel("store", {sizeof(int *), sizeof(int)},
                 [this](const gmprof::cpu::LaunchConfig &, const void *const *Args) -> Outcome {
                   int *To = *static_cast<int *const *>(Args[0]);
                   const int Value = *static_cast<const int *>(Args[1]);
                   if (To >= Cells && To < Cells + 16) {
                     *To += Value;
                     return std::monostate();
                   }
                   *To = Cells[Value];
                   Cells[Value] = *To == 0 ? 3 : *To - 1;
                   return std::monostate();
                 });
  }

  cudaGraphConditionalHandle handle(cudaGraph_t Of, unsigned Default = 0, unsigned Flags = 0) {
    cudaGraphConditionalHandle Handle = 0;
    EXPECT_EQ(cudaGraphConditionalHandleCreate(&Handle, Of, Default, Flags), cudaSuccess);
    return Handle;
  }

  cudaError_t conditional(cudaGraph_t In, cudaGraphConditionalHandle Handle, int Type,
                          unsigned Size, std::vector<cudaGraphNode_t> After = {}) {
    cudaGraphNodeParams P = {};
    P.type = cudaGraphNodeTypeConditional;
    P.conditional.handle = Handle;
    P.conditional.type = static_cast<cudaGraphConditionalNodeType>(Type);
    P.conditional.size = Size;
    cudaError_t Error = cudaGraphAddNode(&Node, In, After.data(), nullptr, After.size(), &P);
    Bodies = P.conditional.phGraph_out;
    return Error;
  }

  cudaGraphNode_t kernel(cudaGraph_t In, int *To, int Value,
                         std::vector<cudaGraphNode_t> After = {}) {
    void *Arguments[] = {&To, &Value};
    cudaKernelNodeParams P = {};
    P.func = &Store;
    P.gridDim = P.blockDim = dim3(1);
    P.kernelParams = Arguments;
    cudaGraphNode_t New = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&New, In, After.data(), After.size(), &P), cudaSuccess);
    return New;
  }
  cudaGraphNode_t add(cudaGraph_t In, int Cell, std::vector<cudaGraphNode_t> After = {}) {
    return kernel(In, Cells + Cell, 1, std::move(After));
  }
  /// Adds a node that sets the handle to the cell's value and counts the cell down.
  cudaGraphNode_t countDown(cudaGraph_t In, cudaGraphConditionalHandle Handle, int Cell,
                            std::vector<cudaGraphNode_t> After = {}) {
    return kernel(In, reinterpret_cast<int *>(Handle), Cell, std::move(After)); // NOLINT
  }

  cudaGraphExec_t instantiate() {
    cudaGraphExec_t Executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaSuccess);
    return Executable;
  }
  void launch(cudaGraphExec_t Executable) {
    EXPECT_EQ(cudaGraphLaunch(Executable, nullptr), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  cudaGraph_t G;
  int *Cells;
  cudaGraphNode_t Node = nullptr;
  cudaGraph_t *Bodies = nullptr; ///< of the node
};

using ConditionalNodes = ConditionsOf;

} // namespace

TEST_F(ConditionalNodes, AnIfRunsOneOfTwoBodies) {
  cudaGraphConditionalHandle Handle = handle(G);
  ASSERT_EQ(conditional(G, Handle, cudaGraphCondTypeIf, 2, {countDown(G, Handle, 0)}), cudaSuccess);
  add(Bodies[0], 1);
  add(Bodies[1], 2);
  add(G, 3, {Node});
  cudaGraphNodeType Type;
  EXPECT_EQ(cudaGraphNodeGetType(Node, &Type), cudaSuccess);
  EXPECT_EQ(Type, cudaGraphNodeTypeConditional);
  cudaGraphExec_t Executable = instantiate();
  Cells[0] = 2; // 2, 1, 0
  for (int I = 0; I < 3; ++I)
    launch(Executable);
  EXPECT_EQ(Cells[1], 2);
  EXPECT_EQ(Cells[2], 1);
  EXPECT_EQ(Cells[3], 3);
}

TEST_F(ConditionalNodes, ASwitchRunsTheBodyOfItsValue) {
  cudaGraphConditionalHandle Handle = handle(G);
  ASSERT_EQ(conditional(G, Handle, cudaGraphCondTypeSwitch, 3, {countDown(G, Handle, 0)}),
            cudaSuccess);
  for (int I = 0; I < 3; ++I)
    add(Bodies[I], 1 + I);
  cudaGraphExec_t Executable = instantiate();
  Cells[0] = 3;
  launch(Executable); // 3: none
  EXPECT_EQ(Cells[1] + Cells[2] + Cells[3], 0);
  launch(Executable);
  EXPECT_EQ(Cells[3], 1);
  launch(Executable);
  EXPECT_EQ(Cells[2], 1);
  launch(Executable);
  EXPECT_EQ(Cells[1], 1);
}

TEST_F(ConditionalNodes, WhilesAreNested) {
  cudaGraphConditionalHandle Outer = handle(G, 1, cudaGraphCondAssignDefault);
  ASSERT_EQ(conditional(G, Outer, cudaGraphCondTypeWhile, 1), cudaSuccess);
  cudaGraph_t Body = Bodies[0];
  cudaGraphConditionalHandle Inner = handle(Body);
  Cells[0] = 2, Cells[1] = 3, Cells[3] = 100;
  cudaGraphNode_t Begin = countDown(Body, Inner, 3); // never 0
  ASSERT_EQ(conditional(Body, Inner, cudaGraphCondTypeWhile, 1, {Begin}), cudaSuccess);
  cudaGraphNode_t Last = add(Bodies[0], 2);
  countDown(Bodies[0], Inner, 1, {Last}); // 3, 2, 1, 0
  countDown(Body, Outer, 0, {Node});      // 2, 1, 0
  launch(instantiate());
  EXPECT_EQ(Cells[2], 12);
  EXPECT_EQ(Cells[3], 97);
}

TEST_F(ConditionalNodes, DefaultsAreSetAtEachLaunch) {
  cudaGraphConditionalHandle Set = handle(G, 1, cudaGraphCondAssignDefault), Kept = handle(G, 1);
  ASSERT_EQ(conditional(G, Set, cudaGraphCondTypeIf, 1), cudaSuccess);
  countDown(Bodies[0], Set, 8, {add(Bodies[0], 0)});
  ASSERT_EQ(conditional(G, Kept, cudaGraphCondTypeIf, 1), cudaSuccess);
  add(Bodies[0], 1);
  Cells[9] = 5;
  countDown(G, Kept, 9, {Node}); // not 0, for the next launch
  cudaGraphExec_t Executable = instantiate();
  for (int I = 0; I < 3; ++I)
    launch(Executable);
  EXPECT_EQ(Cells[0], 3);
  EXPECT_EQ(Cells[1], 2);
}

TEST_F(ConditionalNodes, WrongParametersAreRefused) {
  cudaGraphConditionalHandle Handle = 0;
  EXPECT_EQ(cudaGraphConditionalHandleCreate(nullptr, G, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&Handle, nullptr, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&Handle, G, 0, 2), cudaErrorInvalidValue);
  Handle = handle(G, 5);
  EXPECT_EQ(conditional(G, 0, cudaGraphCondTypeIf, 1), cudaErrorInvalidValue);
  EXPECT_EQ(conditional(G, Handle, 7, 1), cudaErrorInvalidValue);
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeIf, 0), cudaErrorInvalidValue);
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeIf, 3), cudaErrorInvalidValue);
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeWhile, 2), cudaErrorInvalidValue);
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeSwitch, 0), cudaErrorInvalidValue);
  cudaGraph_t Other;
  ASSERT_EQ(cudaGraphCreate(&Other, 0), cudaSuccess);
  EXPECT_EQ(conditional(Other, Handle, cudaGraphCondTypeIf, 1), cudaErrorInvalidValue);
  cudaGraphExec_t Executable;
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaErrorInvalidValue); // handle without node
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeIf, 1), cudaSuccess);
  EXPECT_EQ(conditional(G, Handle, cudaGraphCondTypeIf, 1), cudaErrorInvalidValue); // it has a node
}

TEST_F(ConditionalNodes, AreNotCopied) {
  ASSERT_EQ(conditional(G, handle(G), cudaGraphCondTypeIf, 1), cudaSuccess);
  cudaGraph_t Body = Bodies[0], Copy, Parent;
  cudaGraphNode_t Child;
  cudaGraphExec_t Executable;
  ASSERT_EQ(cudaGraphCreate(&Parent, 0), cudaSuccess);
  for (cudaGraph_t Each : {G, Body}) {
    EXPECT_EQ(cudaGraphClone(&Copy, Each), cudaErrorNotSupported);
    EXPECT_EQ(cudaGraphAddChildGraphNode(&Child, Parent, nullptr, 0, Each), cudaErrorNotSupported);
  }
  EXPECT_EQ(cudaGraphInstantiate(&Executable, Body, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroy(Body), cudaErrorInvalidValue);
  cudaGraphExec_t Only = instantiate();
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaErrorNotSupported);
  cudaStream_t Stream;
  ASSERT_EQ(cudaStreamCreate(&Stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Only, Stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(Stream, &Copy), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaGraphExecDestroy(Only), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaSuccess);
}

TEST_F(ConditionalNodes, BodiesHaveWorkOfTheDeviceAlone) {
  cudaGraph_t Child;
  ASSERT_EQ(cudaGraphCreate(&Child, 0), cudaSuccess);
  add(Child, 0);
  ASSERT_EQ(conditional(G, handle(G, 1, cudaGraphCondAssignDefault), cudaGraphCondTypeIf, 1),
            cudaSuccess);
  cudaGraph_t Body = Bodies[0];
  cudaGraphNode_t First, Second, Third;
  cudaMemsetParams Set = {Cells + 1, 0, 9, 4, 1, 1};
  ASSERT_EQ(cudaGraphAddChildGraphNode(&First, Body, nullptr, 0, Child), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemsetNode(&Second, Body, &First, 1, &Set), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&Third, Body, &Second, 1, Cells + 2, Cells + 1, 4,
                                     cudaMemcpyDefault),
            cudaSuccess);
  cudaGraphExec_t Executable = instantiate();
  launch(Executable);
  EXPECT_EQ(Cells[0], 1);
  EXPECT_EQ(Cells[1], 9);
  EXPECT_EQ(Cells[2], 9);
  EXPECT_EQ(cudaGraphExecDestroy(Executable), cudaSuccess);
  cudaHostNodeParams Host = {[](void *) {}, nullptr};
  EXPECT_EQ(cudaGraphAddHostNode(&First, Body, nullptr, 0, &Host), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaErrorInvalidValue);
}

TEST_F(ConditionalNodes, ExecutablesOutliveTheirGraph) {
  cudaGraphConditionalHandle Handle = handle(G, 1, cudaGraphCondAssignDefault);
  ASSERT_EQ(conditional(G, Handle, cudaGraphCondTypeWhile, 1), cudaSuccess);
  cudaGraph_t Body = Bodies[0];
  cudaStream_t Stream;
  ASSERT_EQ(cudaStreamCreate(&Stream), cudaSuccess);
  ASSERT_EQ(
      cudaStreamBeginCaptureToGraph(Stream, Body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
      cudaSuccess);
  EXPECT_EQ(store(Cells, 1, Stream), cudaSuccess);
  EXPECT_EQ(store(reinterpret_cast<int *>(Handle), 1, Stream), cudaSuccess); // NOLINT
  ASSERT_EQ(cudaStreamEndCapture(Stream, nullptr), cudaSuccess);
  cudaGraphExec_t Executable = instantiate();
  add(Body, 2); // no effect on Executable
  EXPECT_EQ(cudaGraphDestroy(G), cudaSuccess);
  size_t Count;
  EXPECT_EQ(cudaGraphGetNodes(Body, nullptr, &Count), cudaErrorInvalidValue);
  Cells[1] = 6;
  launch(Executable);
  EXPECT_EQ(Cells[0], 7);
  EXPECT_EQ(Cells[2], 0);
}

TEST_F(ConditionalNodes, UpdatesCompareBodies) {
  auto Build = [&](int Value, bool More) {
    EXPECT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
    EXPECT_EQ(conditional(G, handle(G, 1, cudaGraphCondAssignDefault), cudaGraphCondTypeIf, 1),
              cudaSuccess);
    kernel(Bodies[0], Cells, Value);
    if (More)
      add(Bodies[0], 1);
  };
  Build(1, false);
  cudaGraphExec_t Executable = instantiate();
  cudaGraphExecUpdateResultInfo Info;
  Build(3, true);
  EXPECT_EQ(cudaGraphExecUpdate(Executable, G, &Info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(Info.result, cudaGraphExecUpdateErrorTopologyChanged);
  launch(Executable);
  EXPECT_EQ(Cells[0], 1);
  Build(3, false);
  EXPECT_EQ(cudaGraphExecUpdate(Executable, G, &Info), cudaSuccess);
  launch(Executable);
  EXPECT_EQ(Cells[0], 4);
}

TEST_F(ConditionalNodes, EndWithTheDevice) {
  ASSERT_EQ(conditional(G, handle(G, 1, cudaGraphCondAssignDefault), cudaGraphCondTypeWhile, 1),
            cudaSuccess);
  cudaKernelNodeParams P = {};
  P.func = &Fail;
  P.gridDim = P.blockDim = dim3(1);
  ASSERT_EQ(cudaGraphAddKernelNode(&Node, Bodies[0], nullptr, 0, &P), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphLaunch(instantiate(), nullptr), cudaSuccess);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  testing::internal::GetCapturedStderr();
}
