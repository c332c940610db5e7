// Kernel nodes of a graph that is replayed more often than counters of 8 bits can count,
// with waits in between.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("scatter", "out").writes == [301] * 20 + [600] * 10 + [0] * 34
// EXPECT: memory("scatter", "index").reads == [301] * 20 + [600] * 10 + [0] * 34
// EXPECT: memory("scatter", "out").capped == [False] * 64
// EXPECT: kernel("scatter").data["global_memory"]["launches_profiled"] == 601
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void scatter(int *out, const int *index, int from, int n) {
  int i = threadIdx.x;
  if (i >= from && i < n)
    out[index[i]] = i;
}

int main() {
  int *Out = deviceInts(64), *Index = deviceInts(64);
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  scatter<<<1, 32, 0, Stream>>>(Out, Index, 0, 30);
  scatter<<<1, 32, 0, Stream>>>(Out, Index, 20, 30);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 300; ++I) {
    CHECK(cudaGraphLaunch(Exec, Stream));
    if (I % 8 == 7)
      CHECK(cudaStreamSynchronize(Stream));
  }
  CHECK(cudaStreamSynchronize(Stream));
  scatter<<<1, 32>>>(Out, Index, 0, 20);
  printResult("out", Out, 64);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}
