// A captured graph replayed five times beside an ordinary launch.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("node", "words").counts == [2 * 6] * 32
#include "common.h"

__global__ void node(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = out[threadIdx.x];
  out[threadIdx.x] = words[threadIdx.x] + 1;
}

int main() {
  int *Out = deviceInts(32);
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  node<<<1, 32, 0, Stream>>>(Out);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 5; ++I)
    CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  node<<<1, 32>>>(Out);
  printResult("node", Out, 32);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}
