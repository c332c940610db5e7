// Accesses in functions that are not inlined, two calls deep, one of them
// called from two kernels.
// BUILD: -O2 -g
// BUILD: -O0
// EXPECT: shared("first", "words").counts == [3] * 32
// EXPECT: shared("second", "others").counts == [2] * 32
#include "common.h"

__device__ __noinline__ void put(volatile int *p, int v) { p[threadIdx.x] = v; }
__device__ __noinline__ int twice(volatile int *p) {
  put(p, 7);
  return p[threadIdx.x];
}

__global__ void first(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = 1;
  out[threadIdx.x] = twice(words);
}

__global__ void second(int *out) {
  __shared__ volatile int others[32];
  put(others, 5);
  out[threadIdx.x] = others[threadIdx.x];
}

int main() {
  int *Out = deviceInts(64);
  first<<<1, 32>>>(Out);
  second<<<1, 32>>>(Out + 32);
  printResult("both", Out, 64);
}
