// Prefix sums, version 2: a shuffle passes the sum so far to the lanes of a warp.

#include "broadcast.h"

__global__ void sums(const int *x, int *result) {
  const int Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;
  const int First = (blockIdx.x * Warps + Warp) * Segment;
  int Before = 0;
  for (int I = Lane; I < Segment; I += WarpSize) {
    const int Mine = Before + sumOfLanes(x[First + I], Lane);
    result[First + I] = Mine;
    Before = __shfl_sync(~0u, Mine, WarpSize - 1);
  }
}

int main(int Argc, char **Argv) {
  return runSums("broadcast v2", Argc, Argv,
                 [](int Blocks, int Threads, const int *X, int *Result) {
                   sums<<<Blocks, Threads>>>(X, Result);
                 });
}
