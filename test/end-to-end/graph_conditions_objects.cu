// An object used only in the body of a conditional node may be used: it is not reported as unused.
// BUILD: -O2 -g -rdc=true
// OPTIONS: profile=objects
// EXPECT: [o["name"] for o in summary["objects"]] == ["inside", "result"]
// EXPECT: [f["pattern"] for f in summary["findings"]] == ["late_deallocation"]
// EXPECT: coverage["objects"]["launches_inferred"] == 2
// EXPECT-OUTPUT: 12
#include "common.h"

__global__ void add(int *inside, int *result, cudaGraphConditionalHandle handle) {
  *inside = *result + 2;
  *result = *inside;
  cudaGraphSetConditional(handle, *result % 6);
}

int main() {
  int *inside, *result, host;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node, last;
  CHECK(cudaMalloc(&inside, sizeof(int)));
  CHECK(cudaMalloc(&result, sizeof(int)));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams conditional = {};
  conditional.type = cudaGraphNodeTypeConditional;
  conditional.conditional.handle = handle;
  conditional.conditional.type = cudaGraphCondTypeWhile;
  conditional.conditional.size = 1;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &conditional));
  void *arguments[] = {&inside, &result, &handle};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(add);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&last, conditional.conditional.phGraph_out[0], nullptr, 0, &params));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaMemset(result, 0, sizeof(int)));
  for (int launch = 0; launch < 2; ++launch)
    CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaMemcpy(&host, result, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d\n", host);
  CHECK(cudaFree(inside));
  CHECK(cudaFree(result));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}
