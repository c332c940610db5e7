// One program built in every way that matters to plugin and runtime: levels of
// optimisation, debug info, several architectures, both offload drivers, with
// relocatable device code. Each thread writes its word and reads another: 2 in
// each of 4 blocks.
// BUILD: -O0
// BUILD: -O1
// BUILD: -O2 -g
// BUILD: -O3
// BUILD: -O2 -G
// BUILD: -O2 -lineinfo -use_fast_math
// BUILD: -O2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
// BUILD: -O2 -gencode arch=compute_90,code=compute_90
// BUILD: -O2 --no-offload-new-driver
// BUILD: -O2 -rdc=true
// BUILD: -O2 -std=c++20 -default-stream per-thread
// EXPECT: shared("turn", "words").counts == [2 * 4] * 64
// EXPECT: shared("turn", "words").bytes == 256
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void turn(int *out) {
  __shared__ volatile int words[64];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = words[63 - threadIdx.x];
}

int main() {
  int *Out = deviceInts(256);
  turn<<<4, 64>>>(Out);
  printResult("turn", Out, 256);
}
