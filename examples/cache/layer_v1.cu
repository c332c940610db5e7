// A layer of a network, version 1: consecutive threads have points below each other, so that a warp
// reads a word of each of 32 rows. A block wants 256 rows of each channel, 4096 lines, for each
// feature again, which is more than L1 holds. Version 2 swaps x and y.

#include "layer.h"

__global__ void layer(const float *input, float *output, int size) {
  const int Y = blockIdx.x * BlockX + threadIdx.x, X = blockIdx.y * BlockY + threadIdx.y;
  for (int F = 0; F < Features; ++F) {
    float Sum = parameters.Biases[F];
    for (int C = 0; C < Channels; ++C)
      Sum += parameters.Weights[F][C] * input[(C * size + Y) * size + X];
    output[(F * size + Y) * size + X] = max(Sum, 0.0F);
  }
}

int main(int Argc, char **Argv) {
  return runLayer("layer v1", Argc, Argv, [](const float *Input, float *Output, int Size) {
    layer<<<dim3(Size / BlockX, Size / BlockY), dim3(BlockX, BlockY)>>>(Input, Output, Size);
  });
}
