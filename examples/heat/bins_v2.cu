// Counts in bins, version 2: the bins of a thread are a column in shared memory. The columns of a
// warp are in different banks, whatever bins its threads count in.

#include "bins.h"

__global__ void fullest(const int *in, int *out, int Length) {
  __shared__ int bins[Bins][Threads];
  const int Rows = gridDim.x * Threads, Row = blockIdx.x * Threads + threadIdx.x;
  for (int B = 0; B < Bins; ++B)
    bins[B][threadIdx.x] = 0;
  for (int I = 0; I < Length; ++I)
    ++bins[in[I * Rows + Row]][threadIdx.x];
  int Most = 0;
  for (int B = 0; B < Bins; ++B)
    Most = max(Most, bins[B][threadIdx.x]);
  out[Row] = Most;
}

int main(int Argc, char **Argv) {
  return runBins("bins v2", Argc, Argv, [](int Blocks, const int *In, int *Out, int Length) {
    fullest<<<Blocks, Threads>>>(In, Out, Length);
  });
}
