// The first, second and fourth of 5 launches in two streams are recorded, each with the words that
// it accesses itself: launch i those from 8 i to 8 i + 31. The coverage names the others.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: heat_launches("shifted") == [1, 2, 4]
// EXPECT: [heat("shifted", 256, launch=l).words for l in (1, 2, 4)] == [
//     [0] * 8 * i + [1] * 32 + [0] * (32 - 8 * i) for i in (0, 1, 3)]
// EXPECT: coverage["launches"]["seen"] == 5 and coverage["launches"]["profiled"] == 3
// EXPECT: coverage["launches"]["not_selected"] == 2
// EXPECT: not coverage["whole"]
// EXPECT: ["launch-sampling=doubling" in r["reason"] for r in coverage["launches"]["reasons"]] ==
//     [True]
#include "common.h"

__global__ void shifted(int *p, int First) { p[First + threadIdx.x] += First; }

int main() {
  int *P = deviceInts(64);
  cudaStream_t Streams[2];
  for (cudaStream_t &Stream : Streams)
    CHECK(cudaStreamCreate(&Stream));
  for (int I = 0; I < 5; ++I) {
    shifted<<<1, 32, 0, Streams[I % 2]>>>(P, 8 * I % 32);
    CHECK(cudaDeviceSynchronize());
  }
  printResult("shifted", P, 64);
}
