// Accesses of graphs that driver functions create, and change when they are executable, are
// known.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(o["first_access"]["api"], o["last_access"]["api"]) for o in summary["objects"][:4]]
//     == [("cudaGraphAddMemsetNode", "scale"),
//     ("scale", "cudaMemcpy"),
//     ("scale", "cudaMemcpy"), ("cudaMemcpy", "cudaMemcpy")]
// EXPECT: [(use["object"], use["reads"], use["writes"], use["known"])
//     for use in kernel("scale").data["object_accesses"]]
//     == [(0, 5, 0, "exact"), (1, 0, 3, "exact"), (2, 0, 2, "exact")]
// EXPECT: coverage["gaps"] == []
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT-OUTPUT: 21 21 21
#include "driver.h"

__global__ void scale(const int *In, int *Out) {
  int I = threadIdx.x;
  Out[I] = 3 * In[I];
}

DRIVER(cuGraphCreate, 10000);
DRIVER(cuGraphAddKernelNode, 12000);
DRIVER(cuGraphExecKernelNodeSetParams, 12000);
DRIVER(cuGraphInstantiateWithFlags, 11040);
DRIVER(cuGraphLaunch, 10000);
DRIVER(cuGraphDestroy, 10000);

int main() {
  constexpr size_t Bytes = 64 * sizeof(int);
  int *In, *Out, *Other, *Captured, Result[3][64];
  CHECK(cudaMalloc(&In, Bytes));
  CHECK(cudaMalloc(&Out, Bytes));
  CHECK(cudaMalloc(&Other, Bytes));
  CHECK(cudaMalloc(&Captured, Bytes));
  cudaFunction_t Scale;
  CHECK(cudaGetFuncBySymbol(&Scale, reinterpret_cast<const void *>(scale)));
  CUgraph Graph;
  CUgraphNode Set, Node;
  CUgraphExec Exec;
  CHECK_DRIVER(cuGraphCreateOf(&Graph, 0));
  cudaMemsetParams SetParams = {};
  SetParams.dst = In;
  SetParams.value = 7;
  SetParams.elementSize = 4;
  SetParams.width = 64;
  SetParams.height = 1;
  CHECK(cudaGraphAddMemsetNode(&Set, Graph, nullptr, 0, &SetParams));
  void *Args[] = {&In, &Out};
  CUDA_KERNEL_NODE_PARAMS Params = {};
  Params.func = Scale;
  Params.gridDimX = Params.gridDimY = Params.gridDimZ = 1;
  Params.blockDimX = 64;
  Params.blockDimY = Params.blockDimZ = 1;
  Params.kernelParams = Args;
  CHECK_DRIVER(cuGraphAddKernelNodeOf(&Node, Graph, &Set, 1, &Params));
  CHECK_DRIVER(cuGraphInstantiateWithFlagsOf(&Exec, Graph, 0));
  for (int I = 0; I < 3; ++I)
    CHECK_DRIVER(cuGraphLaunchOf(Exec, nullptr));
  Args[1] = &Other;
  CHECK_DRIVER(cuGraphExecKernelNodeSetParamsOf(Exec, Node, &Params));
  for (int I = 0; I < 2; ++I)
    CHECK_DRIVER(cuGraphLaunchOf(Exec, nullptr));
  CHECK_DRIVER(cuGraphDestroyOf(Graph));
  CHECK(cudaMemcpy(Captured, Other, Bytes, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(Result[0], Out, Bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(Result[1], Other, Bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(Result[2], Captured, Bytes, cudaMemcpyDeviceToHost));
  printf("%d %d %d\n", Result[0][63], Result[1][0], Result[2][5]);
}
