// Graphs that allocate memory and leave it to the program, and are launched again after that was
// released: by the program, by the next launch itself, and by another graph.
#ifndef GMPROF_TEST_GRAPHMEMORYAGAIN_H
#define GMPROF_TEST_GRAPHMEMORYAGAIN_H

#include "common.h"

__global__ void fill(int *to, int value) { to[threadIdx.x] = value + threadIdx.x; }

__global__ void add(int *sum, const int *from) { sum[threadIdx.x] += from[threadIdx.x]; }

static cudaStream_t stream;

/// Begins a graph that allocates bytes, whose address goes to memory.
#define CAPTURE(memory, bytes)                                                                     \
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));                         \
  CHECK(cudaMallocAsync(&memory, bytes, stream))

static cudaGraphExec_t executable(cudaGraph_t graph, unsigned flags = 0) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, flags));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

/// Ends the capture: the graph fills the memory and does not release it.
static cudaGraphExec_t filling(int *memory, int value, unsigned flags = 0) {
  cudaGraph_t graph;
  fill<<<1, 64, 0, stream>>>(memory, value);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return executable(graph, flags);
}

/// Launches the graph three times, with a different release each time.
static void releasedByTheProgram(int *sum) {
  int *kept;
  CAPTURE(kept, 1024);
  cudaGraphExec_t exec = filling(kept, 1);
  for (int launch = 0; launch < 3; ++launch) {
    CHECK(cudaGraphLaunch(exec, stream));
    add<<<1, 64, 0, stream>>>(sum, kept);
    if (launch == 1) {
      CHECK(cudaStreamSynchronize(stream));
      CHECK(cudaFree(kept));
    } else {
      CHECK(cudaFreeAsync(kept, stream));
    }
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
}

static void releasedByTheNextLaunch(int *sum) {
  int *renewed;
  CAPTURE(renewed, 2048);
  cudaGraphExec_t exec = filling(renewed, 10, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  for (int launch = 0; launch < 3; ++launch) {
    CHECK(cudaGraphLaunch(exec, stream));
    add<<<1, 64, 0, stream>>>(sum, renewed);
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(renewed));
  CHECK(cudaGraphExecDestroy(exec));
}

static void releasedByAnotherGraph(int *sum) {
  int *handed;
  CAPTURE(handed, 4096);
  cudaGraphExec_t first = filling(handed, 100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, handed));
  cudaGraphExec_t second = executable(graph);
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaGraphLaunch(first, stream));
    add<<<1, 64, 0, stream>>>(sum, handed);
    CHECK(cudaGraphLaunch(second, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(second));
  CHECK(cudaGraphExecDestroy(first));
}

inline void runGraphs() {
  int *sum, host[64];
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&sum, sizeof(host)));
  CHECK(cudaMemset(sum, 0, sizeof(host)));
  releasedByTheProgram(sum);
  releasedByTheNextLaunch(sum);
  releasedByAnotherGraph(sum);
  CHECK(cudaMemcpy(host, sum, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(sum));
  std::printf("%d %d\n", host[0], host[63]);
}

#endif
