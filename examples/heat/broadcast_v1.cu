// Prefix sums, version 1: the last lane of a warp passes the sum so far to the others through
// shared memory, with barriers of the whole block. No other warp needs it. Version 2 uses a
// shuffle.

#include "broadcast.h"

__global__ void sums(const int *x, int *result) {
  __shared__ int sum[Warps];
  const int Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;
  const int First = (blockIdx.x * Warps + Warp) * Segment;
  int Before = 0;
  for (int I = Lane; I < Segment; I += WarpSize) {
    const int Mine = Before + sumOfLanes(x[First + I], Lane);
    result[First + I] = Mine;
    if (Lane == WarpSize - 1)
      sum[Warp] = Mine;
    __syncthreads();
    Before = sum[Warp];
    __syncthreads();
  }
}

int main(int Argc, char **Argv) {
  return runSums("broadcast v1", Argc, Argv,
                 [](int Blocks, int Threads, const int *X, int *Result) {
                   sums<<<Blocks, Threads>>>(X, Result);
                 });
}
