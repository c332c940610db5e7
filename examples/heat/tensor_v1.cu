// Sparse tensor times matrix, version 1: each thread adds up its result in shared memory. No other
// thread needs it, so the barriers are unnecessary. Version 2 uses a register.

#include "tensor.h"

__global__ void multiply(const int *begin, const int *rows, const float *x, const float *u,
                         float *y) {
  extern __shared__ float results[];
  const int R = threadIdx.x, Mine = threadIdx.y * Rank + R;
  for (int Round = 0; Round < Rounds; ++Round) {
    const int Fibre = (Round * gridDim.x + blockIdx.x) * Fibres + threadIdx.y;
    results[Mine] = 0.0f;
    __syncthreads();
    for (int I = begin[Fibre]; I < begin[Fibre + 1]; ++I)
      results[Mine] += x[I] * u[rows[I] * Rank + R];
    __syncthreads();
    y[Fibre * Rank + R] = results[Mine];
    __syncthreads();
  }
}

int main(int Argc, char **Argv) {
  return runTensor("tensor v1", Argc, Argv,
                   [](int Blocks, dim3 Block, const int *Begin, const int *Rows, const float *X,
                      const float *U, float *Y) {
                     const size_t Bytes = Rank * Fibres * sizeof(float);
                     multiply<<<Blocks, Block, Bytes>>>(Begin, Rows, X, U, Y);
                   });
}
