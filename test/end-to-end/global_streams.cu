// Many concurrent launches in two streams: every access is counted, although launches share
// counters of 8 bits.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("histogram", "bins").atomics == [500 * 8] * 64
// EXPECT: memory("histogram", "data").reads == [500] * 512
// EXPECT: memory("histogram", "bins").capped == [False] * 64
// EXPECT: kernel("histogram").data["global_memory"]["launches_profiled"] == 500
#include "common.h"

__global__ void histogram(int *bins, const int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[data[i] % 64], 1);
}

int main() {
  int *Bins = deviceInts(64), *Data = deviceInts(512);
  cudaStream_t Streams[2];
  for (cudaStream_t &Stream : Streams)
    CHECK(cudaStreamCreate(&Stream));
  for (int I = 0; I < 500; ++I) {
    histogram<<<4, 128, 0, Streams[I % 2]>>>(Bins, Data);
    if (I % 16 == 0)
      CHECK(cudaDeviceSynchronize());
  }
  printResult("bins", Bins, 64);
}
