// The grid barrier of cooperative groups uses memory of the driver. Its accesses are not counted as
// outside of all allocations.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: coverage["accesses"]["outside"] == 0
// EXPECT: kernel("together").data["global_memory"]["outside"] == 0
// EXPECT: memory("together", "out").reads == [2] * 256
// EXPECT: memory("together", "out").writes == [1] * 256
#include "common.h"
#include <cooperative_groups.h>

/// Each element is read by its own thread, and after the barrier by the thread at the other end.
__global__ void together(int *out) {
  const int I = blockIdx.x * 64 + threadIdx.x;
  out[I] += I;
  cooperative_groups::this_grid().sync();
  const int Other = out[gridDim.x * 64 - 1 - I];
  if (Other == -1)
    __trap();
}

int main() {
  int *Out = deviceInts(256);
  void *Args[] = {&Out};
  CHECK(cudaLaunchCooperativeKernel((const void *)together, dim3(4), dim3(64), Args, 0, nullptr));
  printResult("together", Out, 256);
}
