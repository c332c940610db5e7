// Conditional nodes: both bodies of an if, the bodies of a switch and, within a while, another
// while. What the kernels in them count is known, though not how often they ran.
// BUILD: -O2 -g -rdc=true -mllvm -gm-shared-closed-forms=false
// OPTIONS: profile=shared
// EXPECT: shared("store", "words").counts
//     == [2 * (2 + 2 + 3 + 12 + 3)] + [2 * (2 + 2 + 3 + 12)] * 31
// EXPECT: coverage["launches"]["seen"] == 2 + 3 + 3
// EXPECT: coverage["launches"]["profiled"] == 3
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("graph launches", 6)]
// EXPECT: not coverage["whole"]
// EXPECT-OUTPUT: if 0: 100 0
// EXPECT-OUTPUT: if 2: 101 0
// EXPECT-OUTPUT: switch 1: 0 1
// EXPECT-OUTPUT: switch 0: 1 1
// EXPECT-OUTPUT: switch 2: 1 1
// EXPECT-OUTPUT: while in while: 12 3
#include "common.h"
#include <vector>

/// Adds to one place, through shared memory.
__global__ void store(int *To, int Value) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = Value;
  if (int Mine = words[threadIdx.x]; threadIdx.x == 0)
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
  kernel(Graph, {Node}, 32, store, Sums + 2, 1); // whichever of them ran
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

int main() {
  Sums = deviceInts(3);
  Value = deviceInts(1);
  ifElse();
  switches();
  whiles();
}
