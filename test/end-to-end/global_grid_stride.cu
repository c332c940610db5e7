// A loop that goes on by the size of the grid: 96 threads, 1000 elements, then fewer
// elements than threads.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("scale", "x").reads == [2] * 50 + [1] * 950
// EXPECT: memory("scale", "x").writes == [2] * 50 + [1] * 950
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void scale(int *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] *= 2;
}

int main() {
  int *X = deviceInts(1000);
  scale<<<3, 32>>>(X, 1000);
  scale<<<3, 32>>>(X, 50);
  printResult("x", X, 1000);
}
