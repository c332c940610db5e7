// Conditional nodes: both bodies of an if, the bodies of a switch and, within a while, another
// while; and a captured body. The clones in the bodies count their launches: with 2 launches of the
// if, 3 of the switch, and 1 of the loops and of the captured body, 2, 2, 12 + 3 and 3 * 4 in
// bodies. Kernels without shared memory set the conditions, 5 times in graphs, and an unknown
// number of times in bodies.
// BUILD: -O2 -g -rdc=true
// BUILD: -O2 -g -rdc=true -mllvm -gm-shared-closed-forms=false
// BUILD: -O2 -g -rdc=true -mllvm -gm-level=basic
// OPTIONS: profile=shared
// EXPECT: shared("store", "words").counts
//     == [2 * (2 + 2 + 3 + 12 + 3 + 8)] + [2 * (2 + 2 + 3 + 12 + 8)] * 31
// EXPECT: shared("known", "word").counts == [33 * 4]
// EXPECT: coverage["launches"]["seen"] == 5 + 2 + 2 + 3 + 12 + 3 + 8 + 4
// EXPECT: coverage["launches"]["profiled"] == 2 + 2 + 3 + 12 + 3 + 8 + 4
// EXPECT: coverage["launches"]["not_selected"] == 5
// EXPECT: coverage["blocks"]["counted"] == 2 + 2 + 3 + 12 + 3 + 8 + 4
// EXPECT: sum(g["count"] for g in kernel("store").data["launches"]) == 30
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: if 0: 100 0
// EXPECT-OUTPUT: if 2: 101 0
// EXPECT-OUTPUT: switch 1: 0 1
// EXPECT-OUTPUT: switch 0: 1 1
// EXPECT-OUTPUT: switch 2: 1 1
// EXPECT-OUTPUT: while in while: 12 3
// EXPECT-OUTPUT: captured: 8 4
#include "common.h"
#include <vector>

/// Adds to one place, through shared memory.
__global__ void store(int *To, int Value) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = Value;
  if (int Mine = words[threadIdx.x]; threadIdx.x == 0)
    *To += Mine;
}

/// Each thread loads the value that one thread stores, at addresses that the compiler knows.
__global__ void known(int *To) {
  __shared__ volatile int word;
  if (threadIdx.x == 0)
    word = 1;
  __syncthreads();
  if (int Mine = word; threadIdx.x == 0)
    *To += Mine;
}

__global__ void decide(cudaGraphConditionalHandle Handle, const int *Value) {
  cudaGraphSetConditional(Handle, *Value);
}

/// The while goes on until Left is 0, and begins with From the next time.
__global__ void count(cudaGraphConditionalHandle Handle, int *Left, int From) {
  --*Left;
  cudaGraphSetConditional(Handle, *Left > 0);
  if (*Left == 0)
    *Left = From;
}

template <typename... Parameters>
static cudaGraphNode_t kernel(cudaGraph_t Graph, std::vector<cudaGraphNode_t> After, int Threads,
                              void (*Kernel)(Parameters...), Parameters... Values) {
  void *Arguments[] = {&Values...};
  cudaKernelNodeParams Params = {};
  Params.func = reinterpret_cast<void *>(Kernel);
  Params.gridDim = dim3(1);
  Params.blockDim = dim3(Threads);
  Params.kernelParams = Arguments;
  cudaGraphNode_t Node;
  CHECK(cudaGraphAddKernelNode(&Node, Graph, After.data(), After.size(), &Params));
  return Node;
}

static cudaGraph_t *conditional(cudaGraph_t Graph, std::vector<cudaGraphNode_t> After,
                                cudaGraphConditionalHandle Handle,
                                cudaGraphConditionalNodeType Type, unsigned Size,
                                cudaGraphNode_t *Node = nullptr) {
  cudaGraphNode_t Own;
  cudaGraphNodeParams Params = {};
  Params.type = cudaGraphNodeTypeConditional;
  Params.conditional.handle = Handle;
  Params.conditional.type = Type;
  Params.conditional.size = Size;
  CHECK(cudaGraphAddNode(Node ? Node : &Own, Graph, After.data(), nullptr, After.size(), &Params));
  return Params.conditional.phGraph_out;
}

static int *Sums, *Value;

static void launch(cudaGraphExec_t Exec, const char *What, int With) {
  int Host[2];
  CHECK(cudaMemcpy(Value, &With, sizeof(With), cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(Exec, nullptr));
  CHECK(cudaMemcpy(Host, Sums, sizeof(Host), cudaMemcpyDeviceToHost));
  std::printf("%s: %d %d\n", What, Host[0], Host[1]);
}

static cudaGraphExec_t executable(cudaGraph_t Graph) {
  cudaGraphExec_t Exec;
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  CHECK(cudaMemset(Sums, 0, 2 * sizeof(int)));
  return Exec;
}

static void ifElse() {
  cudaGraph_t Graph;
  cudaGraphConditionalHandle Handle;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&Handle, Graph, 0, 0));
  cudaGraphNode_t Decide =
      kernel<cudaGraphConditionalHandle, const int *>(Graph, {}, 1, decide, Handle, Value);
  cudaGraph_t *Bodies = conditional(Graph, {Decide}, Handle, cudaGraphCondTypeIf, 2);
  kernel(Bodies[0], {}, 32, store, Sums, 1);
  kernel(Bodies[1], {}, 32, store, Sums, 100);
  cudaGraphExec_t Exec = executable(Graph);
  launch(Exec, "if 0", 0);
  launch(Exec, "if 2", 2);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}

static void switches() {
  cudaGraph_t Graph;
  cudaGraphConditionalHandle Handle;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&Handle, Graph, 0, 0));
  cudaGraphNode_t Node =
      kernel<cudaGraphConditionalHandle, const int *>(Graph, {}, 1, decide, Handle, Value);
  cudaGraph_t *Bodies = conditional(Graph, {Node}, Handle, cudaGraphCondTypeSwitch, 2, &Node);
  kernel(Bodies[0], {}, 32, store, Sums, 1);
  kernel(Bodies[1], {}, 32, store, Sums + 1, 1);
  kernel(Graph, {Node}, 32, store, Sums + 2, 1); // either of them has run
  cudaGraphExec_t Exec = executable(Graph);
  launch(Exec, "switch 1", 1);
  launch(Exec, "switch 0", 0);
  launch(Exec, "switch 2", 2);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}

/// Three times, of which each does something and then four times something else.
static void whiles() {
  cudaGraph_t Graph;
  cudaGraphConditionalHandle Outer, Inner;
  cudaGraphNode_t Node;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&Outer, Graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t Body = *conditional(Graph, {}, Outer, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphConditionalHandleCreate(&Inner, Body, 0, 0));
  int *Left = deviceInts(5);
  cudaGraphNode_t First =
      kernel<cudaGraphConditionalHandle, const int *>(Body, {}, 1, decide, Inner, Left + 1);
  cudaGraphNode_t Beside = kernel(Body, {}, 1, store, Sums + 1, 1);
  cudaGraph_t InnerBody = *conditional(Body, {First}, Inner, cudaGraphCondTypeWhile, 1, &Node);
  cudaGraphNode_t Last = kernel(InnerBody, {}, 32, store, Sums, 1);
  kernel(InnerBody, {Last}, 1, count, Inner, Left + 4, 4);
  kernel(Body, {Node, Beside}, 1, count, Outer, Left + 3, 3);
  cudaGraphExec_t Exec = executable(Graph);
  launch(Exec, "while in while", 0);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}

/// A body that is captured, in a loop of four.
static void captured() {
  cudaGraph_t Graph;
  cudaGraphConditionalHandle Handle;
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&Handle, Graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t Body = *conditional(Graph, {}, Handle, cudaGraphCondTypeWhile, 1), Same;
  int *Left = deviceInts(5);
  CHECK(cudaStreamBeginCaptureToGraph(Stream, Body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
  store<<<1, 32, 0, Stream>>>(Sums, 1);
  store<<<1, 32, 0, Stream>>>(Sums, 1);
  known<<<1, 32, 0, Stream>>>(Sums + 1);
  count<<<1, 1, 0, Stream>>>(Handle, Left + 4, 4);
  CHECK(cudaStreamEndCapture(Stream, &Same));
  cudaGraphExec_t Exec = executable(Graph);
  launch(Exec, "captured", 0);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}

int main() {
  Sums = deviceInts(3);
  Value = deviceInts(1);
  ifElse();
  switches();
  whiles();
  captured();
}
