// A cooperative launch with a grid barrier between a write and a read of shared
// memory.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("together", "words").counts == [2 * 4] * 64
#include "common.h"
#include <cooperative_groups.h>

__global__ void together(int *out) {
  __shared__ volatile int words[64];
  const int T = threadIdx.x, I = blockIdx.x * 64 + T;
  words[T] = I;
  out[I] = words[T];
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && T < 4)
    out[T] += out[T * 64 + 63];
}

int main() {
  int *Out = deviceInts(256);
  void *Args[] = {&Out};
  CHECK(cudaLaunchCooperativeKernel((const void *)together, dim3(4), dim3(64), Args, 0, nullptr));
  printResult("together", Out, 256);
}
