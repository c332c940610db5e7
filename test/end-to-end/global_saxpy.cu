// A guarded index: 1000 of 1024 elements of x are read, all of y are read and written,
// by each of three launches.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("saxpy", "x").reads == [3] * 1000 + [0] * 24
// EXPECT: memory("saxpy", "x").writes is None
// EXPECT: memory("saxpy", "y").reads == [3] * 1000
// EXPECT: memory("saxpy", "y").writes == [3] * 1000
// EXPECT: memory("saxpy", "y").atomics is None
// EXPECT: memory("saxpy", "y").launches == {"reads": 3, "writes": 3}
// EXPECT: memory("saxpy", "x").use["reads"]["per_launch"]["max"] == {"value": 1, "at_least": False}
// EXPECT: memory("saxpy", "x").use["reads"]["standard_error"] == 0
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void saxpy(int n, int a, const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  int *X = deviceInts(1024), *Y = deviceInts(1000);
  for (int I = 0; I < 3; ++I)
    saxpy<<<4, 256>>>(1000, 2, X, Y);
  printResult("y", Y, 1000);
}
