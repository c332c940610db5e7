// Concurrent launches of two kernels on four streams do not mix.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("left", "words").counts == [2 * 8] * 32
// EXPECT: shared("right", "words").counts == [3 * 8] * 32
// EXPECT: len(kernel("left").launches) == 8 and len(kernel("right").launches) == 8
#include "common.h"

__global__ void left(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = 1;
  out[threadIdx.x] = words[threadIdx.x];
}

__global__ void right(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = words[threadIdx.x] + words[31 - threadIdx.x];
}

int main() {
  cudaStream_t Streams[4];
  int *Out = deviceInts(4 * 64);
  for (cudaStream_t &S : Streams)
    CHECK(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));
  for (int I = 0; I < 8; ++I) {
    left<<<1, 32, 0, Streams[I % 4]>>>(Out + (I % 4) * 64);
    right<<<1, 32, 0, Streams[I % 4]>>>(Out + (I % 4) * 64 + 32);
  }
  CHECK(cudaDeviceSynchronize());
  printResult("streams", Out, 256);
}
