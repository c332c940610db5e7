// A node of a graph that is replayed three times, and two ordinary launches: each launch has its
// own words. A graph's replays are one launch: accesses add up, temperatures do not.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted(heat("node", 128, launch=l).accesses for l in heat_launches("node")) ==
//     [32, 3 * 32]
// EXPECT: all(heat("node", 128, launch=l).words == [1] * 32 for l in heat_launches("node"))
#include "common.h"

__global__ void node(int *p) { atomicAdd(&p[threadIdx.x], 1); }

int main() {
  int *P = deviceInts(32);
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  node<<<1, 32, 0, Stream>>>(P);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 3; ++I)
    CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  node<<<1, 32>>>(P);
  printResult("node", P, 32);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
}
