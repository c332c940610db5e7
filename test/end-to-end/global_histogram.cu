// Atomics of global memory, at addresses that only the data tell: 256 values modulo 10.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// OPTIONS: profile=global
// EXPECT: memory("histogram", 64).atomics == [26] * 6 + [25] * 4 + [0] * 6
// EXPECT: memory("histogram", 64).reads is None
// EXPECT: memory("histogram", "values").reads == [1] * 256
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void number(int *values) { values[threadIdx.x] = threadIdx.x % 10; }

__global__ void histogram(const int *values, int *bins) {
  atomicAdd(&bins[values[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}

int main() {
  int *Values = deviceInts(256), *Bins = deviceInts(16);
  number<<<1, 256>>>(Values);
  histogram<<<4, 64>>>(Values, Bins);
  printResult("bins", Bins, 16);
}
