// Memory that a graph allocates, sets, copies and releases is live while the graph runs: once in
// each of its launches, and not before.
// BUILD: -O2 -g
// EXPECT: [(o["name"], o["kind"], o["bytes"]) for o in summary["objects"]]
//     == [("before", "device", 1000), ("inside", "graph", 4096), ("after", "device", 2000)]
// EXPECT: summary["memory"]["devices"][0]["peak_bytes"] == 1000 + 4096
// EXPECT: summary["memory"]["devices"][0]["bytes_at_end"] == 0
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 3
#include "common.h"
#include <cstdio>

__global__ void increment(int *counter, int *scratch) { *counter += *scratch + 1; }

int main() {
  int *before, *inside, *after;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&before, 1000));
  CHECK(cudaMemset(before, 0, 1000));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMallocAsync(&inside, 4096, stream));
  CHECK(cudaMemsetAsync(inside, 0, 4096, stream));
  increment<<<1, 1, 0, stream>>>(before, inside);
  CHECK(cudaFreeAsync(inside, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 3; ++launch)
    CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  int counter = 0;
  CHECK(cudaMemcpy(&counter, before, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(before));
  CHECK(cudaMalloc(&after, 2000));
  CHECK(cudaFree(after));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  std::printf("%d\n", counter);
}
