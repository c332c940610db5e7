//===- CaptureTest.cpp - Stream capture -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

class Captures : public Program {
protected:
  Captures() {
    EXPECT_EQ(cudaStreamCreate(&A), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&B), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&NonBlocking, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&E), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&F), cudaSuccess);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 64), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 64, cudaMemAttachGlobal),
              cudaSuccess);
  }

  size_t nodes(cudaGraph_t G) {
    size_t Count = 0;
    EXPECT_EQ(cudaGraphGetNodes(G, nullptr, &Count), cudaSuccess);
    return Count;
  }

  void run(cudaGraph_t G, int Times = 1) {
    cudaGraphExec_t Executable;
    ASSERT_EQ(cudaGraphInstantiate(&Executable, G, 0), cudaSuccess);
    for (int I = 0; I != Times; ++I)
      ASSERT_EQ(cudaGraphLaunch(Executable, A), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(A), cudaSuccess);
    ASSERT_EQ(cudaGraphExecDestroy(Executable), cudaSuccess);
  }

  cudaStream_t A, B, NonBlocking;
  cudaEvent_t E, F;
  int *Cell;
  char *Device;
};

constexpr auto Global = cudaStreamCaptureModeGlobal;
constexpr auto ThreadLocal = cudaStreamCaptureModeThreadLocal;
constexpr auto Relaxed = cudaStreamCaptureModeRelaxed;

} // namespace

TEST_F(Captures, RecordInsteadOfRunning) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(Cell + 1, Cell, 4, cudaMemcpyDefault, A), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(Cell + 2, 0xff, 4, A), cudaSuccess);
  ASSERT_EQ(
      cudaLaunchHostFunc(A, [](void *Data) { ++static_cast<int *>(Data)[3]; }, Cell), cudaSuccess);
  cudaGraph_t G;
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Cell[0] + Cell[1] + Cell[2] + Cell[3], 0);
  EXPECT_EQ(nodes(G), 4u);
  size_t Edges = 0;
  ASSERT_EQ(cudaGraphGetEdges(G, nullptr, nullptr, nullptr, &Edges), cudaSuccess);
  EXPECT_EQ(Edges, 3u);
  run(G, 3);
  EXPECT_EQ(Cell[0], 1);
  EXPECT_EQ(Cell[1], 1);
  EXPECT_EQ(Cell[2], -1);
  EXPECT_EQ(Cell[3], 3);
  EXPECT_EQ(cudaGraphDestroy(G), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(G), cudaErrorInvalidValue);
}

TEST_F(Captures, EventsForkAndJoin) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(E, A), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(B, E, 0), cudaSuccess);
  cudaStreamCaptureStatus Status;
  ASSERT_EQ(cudaStreamIsCapturing(B, &Status), cudaSuccess);
  EXPECT_EQ(Status, cudaStreamCaptureStatusActive);
  ASSERT_EQ(store(Cell + 1, 2, B), cudaSuccess);
  ASSERT_EQ(store(Cell + 2, 3, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(F, B), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(A, F, 0), cudaSuccess);
  ASSERT_EQ(store(Cell, 4, A), cudaSuccess);
  cudaGraph_t G;
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(nodes(G), 4u);
  size_t Edges = 0, Roots = 0;
  ASSERT_EQ(cudaGraphGetEdges(G, nullptr, nullptr, nullptr, &Edges), cudaSuccess);
  ASSERT_EQ(cudaGraphGetRootNodes(G, nullptr, &Roots), cudaSuccess);
  EXPECT_EQ(Edges, 4u);
  EXPECT_EQ(Roots, 1u);
  ASSERT_EQ(cudaStreamIsCapturing(B, &Status), cudaSuccess);
  EXPECT_EQ(Status, cudaStreamCaptureStatusNone);
  run(G);
  EXPECT_EQ(Cell[0], 4);
  EXPECT_EQ(Cell[1], 2);
  EXPECT_EQ(Cell[2], 3);
}

TEST_F(Captures, UnjoinedWorkIsAnError) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(E, A), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(B, E, 0), cudaSuccess);
  ASSERT_EQ(store(Cell, 2, B), cudaSuccess);
  cudaGraph_t G = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(B, &G), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(E, A), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(B, E, 0), cudaSuccess);
  ASSERT_EQ(store(Cell, 2, B), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(G, nullptr);
  EXPECT_EQ(cudaStreamSynchronize(B), cudaSuccess);
}

TEST_F(Captures, OnlyInOrder) {
  cudaGraph_t G;
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, Global), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamBeginCapture(A, static_cast<cudaStreamCaptureMode>(5)),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(A, Global), cudaErrorIllegalState);
  std::thread([&] {
    EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureWrongThread);
  }).join();
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(nodes(G), 0u);
}

namespace {

/// A call during the capture of a kernel, with the results of an H200 in each capture mode.
struct Refusal {
  const char *Name;
  std::function<cudaError_t(Captures &, cudaStream_t Capturing, cudaStream_t Other,
                            cudaEvent_t Recorded, void *Device)>
      Call;
  cudaError_t Expected[3]; ///< global, thread-local, relaxed
};

std::ostream &operator<<(std::ostream &Out, const Refusal &R) { return Out << R.Name; }

constexpr cudaError_t Ok = cudaSuccess, No = cudaErrorStreamCaptureUnsupported,
                      Implicit = cudaErrorStreamCaptureImplicit;

#define CALL(...)                                                                                  \
  [](Captures &, cudaStream_t Capturing, cudaStream_t Other, cudaEvent_t Recorded,                 \
     void *Device) -> cudaError_t {                                                                \
    (void)Capturing, (void)Other, (void)Recorded, (void)Device;                                    \
    return __VA_ARGS__;                                                                            \
  }

void *Scratch;
char Host[64];
cudaPointerAttributes Attributes;

const Refusal Refusals[] = {
    {"cudaMalloc", CALL(cudaMalloc(&Scratch, 16)), {No, No, Ok}},
    {"cudaMallocHost", CALL(cudaMallocHost(&Scratch, 16)), {No, No, Ok}},
    {"cudaFree", CALL(cudaFree(nullptr)), {No, No, Ok}},
    {"cudaMemcpy",
     CALL(cudaMemcpy(Device, Host, 16, cudaMemcpyHostToDevice)),
     {Implicit, Implicit, Implicit}},
    {"cudaMemset", CALL(cudaMemset(Device, 0, 16)), {Implicit, Implicit, Implicit}},
    {"cudaStreamSynchronize of itself", CALL(cudaStreamSynchronize(Capturing)), {No, No, No}},
    {"cudaStreamSynchronize of another", CALL(cudaStreamSynchronize(Other)), {No, No, Ok}},
    {"cudaStreamQuery of itself", CALL(cudaStreamQuery(Capturing)), {No, No, No}},
    {"cudaDeviceSynchronize", CALL(cudaDeviceSynchronize()), {No, No, No}},
    {"cudaEventQuery", CALL(cudaEventQuery(Recorded)), {No, No, Ok}},
    {"cudaEventSynchronize", CALL(cudaEventSynchronize(Recorded)), {No, No, Ok}},
    {"cudaEventRecord in the legacy stream",
     CALL(cudaEventRecord(Recorded, nullptr)),
     {Implicit, Implicit, Implicit}},
    {"cudaStreamWaitEvent of outside work",
     CALL(cudaStreamWaitEvent(Capturing, Recorded, 0)),
     {cudaErrorStreamCaptureIsolation, cudaErrorStreamCaptureIsolation,
      cudaErrorStreamCaptureIsolation}},
    {"cudaStreamAddCallback",
     CALL(cudaStreamAddCallback(
         Capturing, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0)),
     {No, No, No}},
    {"work in a non-blocking stream", CALL(cudaMemsetAsync(Device, 0, 4, Other)), {Ok, Ok, Ok}},
    {"cudaMemcpyAsync from pageable",
     CALL(cudaMemcpyAsync(Device, Host, 16, cudaMemcpyHostToDevice, Capturing)),
     {Ok, Ok, Ok}},
    {"cudaMemcpyAsync to pageable",
     CALL(cudaMemcpyAsync(Host, Device, 16, cudaMemcpyDeviceToHost, Capturing)),
     {Ok, Ok, Ok}},
    {"cudaMallocAsync", CALL(cudaMallocAsync(&Scratch, 16, Capturing)), {Ok, Ok, Ok}},
    {"cudaStreamCreate",
     CALL(cudaStreamCreate(reinterpret_cast<cudaStream_t *>(&Scratch))),
     {Ok, Ok, Ok}},
    {"cudaMemGetInfo", CALL(cudaMemGetInfo(nullptr, nullptr)), {Ok, Ok, Ok}},
    {"cudaPointerGetAttributes", CALL(cudaPointerGetAttributes(&Attributes, Device)), {Ok, Ok, Ok}},
};

class Refused : public Captures, public testing::WithParamInterface<Refusal> {};

} // namespace

TEST_P(Refused, LikeOnAGpu) {
  ASSERT_EQ(cudaEventRecord(E, NonBlocking), cudaSuccess);
  for (cudaStreamCaptureMode Mode : {Global, ThreadLocal, Relaxed}) {
    cudaError_t Expected = GetParam().Expected[Mode];
    ASSERT_EQ(cudaStreamBeginCapture(A, Mode), cudaSuccess);
    ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
    EXPECT_EQ(GetParam().Call(*this, A, NonBlocking, E, Device), Expected) << Mode;
    cudaStreamCaptureStatus Status;
    ASSERT_EQ(cudaStreamIsCapturing(A, &Status), cudaSuccess);
    EXPECT_EQ(Status,
              Expected == Ok ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated);
    cudaGraph_t G = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(A, &G),
              Expected == Ok ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(G != nullptr, Expected == Ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, Refused, testing::ValuesIn(Refusals));

TEST_F(Captures, ThreadsMayExceptThemselves) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  cudaStreamCaptureMode Mode = Relaxed;
  void *P;
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&Mode), cudaSuccess);
  EXPECT_EQ(Mode, Global);
  EXPECT_EQ(cudaMalloc(&P, 16), cudaSuccess);
  std::thread([&] {
    cudaStreamCaptureMode Mine = ThreadLocal;
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&Mine), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&P, 16), cudaSuccess);
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&Mine), cudaSuccess);
    EXPECT_EQ(Mine, ThreadLocal);
    EXPECT_EQ(cudaMalloc(&P, 16), cudaErrorStreamCaptureUnsupported);
  }).join();
  cudaGraph_t G;
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Captures, EventsRecordedInsideAreNotForTheHost) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Relaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(E, A), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(E), cudaErrorCapturedEvent);
  cudaGraph_t G;
  EXPECT_EQ(cudaStreamEndCapture(A, &G), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaEventQuery(E), cudaSuccess);
}

TEST_F(Captures, CanExtendAGraph) {
  cudaGraph_t G, Ended;
  ASSERT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
  cudaGraphNode_t Empty;
  ASSERT_EQ(cudaGraphAddEmptyNode(&Empty, G, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(A, G, &Empty, nullptr, 1, Global), cudaSuccess);
  ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
  cudaStreamCaptureStatus Status;
  unsigned long long Id = 0;
  cudaGraph_t Into = nullptr;
  const cudaGraphNode_t *Tail = nullptr;
  size_t Count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(A, &Status, &Id, &Into, &Tail, nullptr, &Count), cudaSuccess);
  EXPECT_EQ(Into, G);
  ASSERT_EQ(Count, 1u);
  cudaGraphNodeType Type;
  ASSERT_EQ(cudaGraphNodeGetType(Tail[0], &Type), cudaSuccess);
  EXPECT_EQ(Type, cudaGraphNodeTypeKernel);
  ASSERT_EQ(cudaStreamEndCapture(A, &Ended), cudaSuccess);
  EXPECT_EQ(Ended, G);
  size_t Edges = 0;
  ASSERT_EQ(cudaGraphGetEdges(G, nullptr, nullptr, nullptr, &Edges), cudaSuccess);
  EXPECT_EQ(Edges, 1u);
}

TEST_F(Captures, GraphMemoryIsAllocatedInEveryLaunch) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  int *Inside = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void **>(&Inside), 4, A), cudaSuccess);
  ASSERT_EQ(store(Inside, 12, A), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(Cell, Inside, 4, cudaMemcpyDefault, A), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(Inside, A), cudaSuccess);
  cudaGraph_t G;
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  EXPECT_EQ(nodes(G), 4u);
  run(G, 2);
  EXPECT_EQ(*Cell, 12);
  cudaPointerAttributes P;
  ASSERT_EQ(cudaGraphDestroy(G), cudaSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&P, Inside), cudaSuccess);
  EXPECT_EQ(P.type, cudaMemoryTypeUnregistered);
}

TEST_F(Captures, MemoryOfAGraphMayOutliveIt) {
  ASSERT_EQ(cudaStreamBeginCapture(A, Global), cudaSuccess);
  int *Left = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void **>(&Left), 4, A), cudaSuccess);
  ASSERT_EQ(store(Left, 12, A), cudaSuccess);
  cudaGraph_t G;
  ASSERT_EQ(cudaStreamEndCapture(A, &G), cudaSuccess);
  auto Bytes = [](cudaGraphMemAttributeType Attribute) {
    uint64_t Value = 99;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, Attribute, &Value), cudaSuccess);
    return Value;
  };
  EXPECT_EQ(Bytes(cudaGraphMemAttrReservedMemCurrent), 4u);
  EXPECT_EQ(Bytes(cudaGraphMemAttrUsedMemCurrent), 0u);
  run(G);
  EXPECT_EQ(Bytes(cudaGraphMemAttrUsedMemCurrent), 4u);
  // Memory that the program frees returns to the graph.
  ASSERT_EQ(cudaFreeAsync(Left, A), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  EXPECT_EQ(Bytes(cudaGraphMemAttrUsedMemCurrent), 0u);
  run(G);
  ASSERT_EQ(cudaGraphDestroy(G), cudaSuccess);
  EXPECT_EQ(Bytes(cudaGraphMemAttrReservedMemCurrent), 0u);
  ASSERT_EQ(cudaMemcpy(Cell, Left, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(*Cell, 12);
  EXPECT_EQ(cudaFree(Left), cudaSuccess);
  EXPECT_EQ(cudaFree(Left), cudaErrorInvalidValue);
}
