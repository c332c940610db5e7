// Kernels that access no memory behind a cache run as they are, and coverage of caches stays whole.
// BUILD: -O2
// OPTIONS: profile=cache
// EXPECT: coverage["launches"]["seen"] == 3
// EXPECT: coverage["launches"]["profiled"] == 1
// EXPECT: coverage["launches"]["nothing_to_profile"] == 2
// EXPECT: coverage["kernels"]["instrumented"] == 1
// EXPECT: coverage["kernels"]["nothing_to_profile"] == 2
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void nothing() {}

__global__ void inSharedMemory(int n) {
  __shared__ int Tile[32];
  Tile[threadIdx.x] = n;
  __syncthreads();
  if (Tile[31 - threadIdx.x] != n)
    __trap();
}

__global__ void stores(int *out) { out[threadIdx.x] = 7; }

int main() {
  int *Out = deviceInts(32);
  nothing<<<1, 32>>>();
  inSharedMemory<<<1, 32>>>(5);
  stores<<<1, 32>>>(Out);
  printResult("stores", Out, 32);
}
