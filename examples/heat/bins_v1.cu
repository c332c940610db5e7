// Counts in bins, version 1: each thread has bins of its own, which are in local memory, since data
// decides on their index. Version 2 has them in shared memory.

#include "bins.h"

__global__ void fullest(const int *in, int *out, int Length) {
  const int Rows = gridDim.x * Threads, Row = blockIdx.x * Threads + threadIdx.x;
  int bins[Bins] = {};
  for (int I = 0; I < Length; ++I)
    ++bins[in[I * Rows + Row]];
  int Most = 0;
  for (int B = 0; B < Bins; ++B)
    Most = max(Most, bins[B]);
  out[Row] = Most;
}

int main(int Argc, char **Argv) {
  return runBins("bins v1", Argc, Argv, [](int Blocks, const int *In, int *Out, int Length) {
    fullest<<<Blocks, Threads>>>(In, Out, Length);
  });
}
