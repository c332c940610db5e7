// Requests of graphs are processed at once, those of other launches behind them, with the same
// result: a loop over 40 rows of 32 words from where data say, and a word of each odd lane.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [heat("node", 5120, launch=l).accesses for l in heat_launches("node")] == [1280, 1280]
// EXPECT: all(heat("node", 5120, launch=l).words == [1] * 1280 for l in heat_launches("node"))
// EXPECT: [heat("node", 64, launch=l).accesses for l in heat_launches("node")] == [16, 16]
// EXPECT: all(heat("node", 64, launch=l).words == [1] * 16 for l in heat_launches("node"))
#include "common.h"

__global__ void node(const volatile int *order, const int *x, const int *odd, int *out) {
  const int First = order[threadIdx.x];
  int Sum = 0;
  for (int K = 0; K < 40; ++K)
    Sum += x[First + 32 * K];
  if (First % 2 == 1)
    Sum += odd[First / 2];
  out[threadIdx.x] = Sum;
}

int main() {
  int *Order = deviceInts(32), *X = deviceInts(1280), *Odd = deviceInts(16), *Out = deviceInts(40);
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  node<<<1, 32, 0, Stream>>>(Order, X, Odd, Out);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  node<<<1, 32>>>(Order, X, Odd, Out);
  printResult("node", Out, 32);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}
