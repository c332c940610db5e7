// A graph whose first body runs 300 times in each of its two launches, and whose second one never
// does.
#ifndef GMPROF_TEST_CONDITIONALLOOP_H
#define GMPROF_TEST_CONDITIONALLOOP_H

#include "common.h"

__global__ void step(int *data, int *left, cudaGraphConditionalHandle handle) {
  data[threadIdx.x] += 1;
  if (threadIdx.x == 0) {
    *left = *left == 1 ? 300 : *left - 1;
    cudaGraphSetConditional(handle, *left != 300);
  }
}

__global__ void never(int *data) { data[threadIdx.x] = 0; }

template <typename... Parameters>
static void addKernel(cudaGraph_t graph, void (*kernel)(Parameters...), Parameters... values) {
  void *arguments[] = {&values...};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(kernel);
  params.gridDim = dim3(1);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
}

static cudaGraph_t addBody(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                           cudaGraphConditionalNodeType type) {
  cudaGraphNode_t node;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = 1;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  return params.conditional.phGraph_out[0];
}

inline void runGraph() {
  int *data, *left, host[64], start = 300;
  for (int i = 0; i < 64; ++i)
    host[i] = i;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle goesOn, isNever;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMalloc(&left, sizeof(start)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(left, &start, sizeof(start), cudaMemcpyHostToDevice));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&goesOn, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&isNever, graph, 0, cudaGraphCondAssignDefault));
  addKernel(addBody(graph, goesOn, cudaGraphCondTypeWhile), step, data, left, goesOn);
  addKernel(addBody(graph, isNever, cudaGraphCondTypeIf), never, data);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 2; ++launch)
    CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[63]);
  CHECK(cudaFree(data));
  CHECK(cudaFree(left));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

#endif
