// A 4 x 4 x 4 block: linear thread ids, never-touched padding.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("cube", "cells").counts == [2 if w % 5 < 4 else 0 for w in range(80)]
#include "common.h"

__global__ void cube(int *out) {
  __shared__ int cells[4][4][5];
  const int X = threadIdx.x, Y = threadIdx.y, Z = threadIdx.z;
  cells[Z][Y][X] = X + 10 * Y + 100 * Z;
  __syncthreads();
  out[(Z * 4 + Y) * 4 + X] = cells[X][Z][Y];
}

int main() {
  int *Out = deviceInts(64);
  cube<<<1, dim3(4, 4, 4)>>>(Out);
  printResult("cube", Out, 64);
}
