// Weights columns, version 1: the lanes of a warp load 32 different words of constant
// memory. Version 2 has the weights in global memory.

#include "filter.h"

__constant__ float weights[Columns];

__global__ void weigh(const float *in, float *out) {
  const int At = blockIdx.x * Columns + threadIdx.x;
  out[At] = in[At] * weights[threadIdx.x];
}

int main(int Argc, char **Argv) {
  return runFilter("filter v1", Argc, Argv, weights, [](int Rows, const float *In, float *Out) {
    weigh<<<Rows, Columns>>>(In, Out);
  });
}
