// Sparse tensor times matrix, version 2: each thread adds up its result in a register.

#include "tensor.h"

__global__ void multiply(const int *begin, const int *rows, const float *x, const float *u,
                         float *y) {
  const int R = threadIdx.x;
  for (int Round = 0; Round < Rounds; ++Round) {
    const int Fibre = (Round * gridDim.x + blockIdx.x) * Fibres + threadIdx.y;
    float Sum = 0.0f;
    for (int I = begin[Fibre]; I < begin[Fibre + 1]; ++I)
      Sum += x[I] * u[rows[I] * Rank + R];
    y[Fibre * Rank + R] = Sum;
  }
}

int main(int Argc, char **Argv) {
  return runTensor("tensor v2", Argc, Argv,
                   [](int Blocks, dim3 Block, const int *Begin, const int *Rows, const float *X,
                      const float *U,
                      float *Y) { multiply<<<Blocks, Block>>>(Begin, Rows, X, U, Y); });
}
