// A layer of a network, version 2: consecutive threads have consecutive points of a row. A block
// wants 2 rows of each channel, 256 lines, and L1 has them still for the next feature.

#include "layer.h"

__global__ void layer(const float *input, float *output, int size) {
  const int X = blockIdx.x * BlockX + threadIdx.x, Y = blockIdx.y * BlockY + threadIdx.y;
  for (int F = 0; F < Features; ++F) {
    float Sum = parameters.Biases[F];
    for (int C = 0; C < Channels; ++C)
      Sum += parameters.Weights[F][C] * input[(C * size + Y) * size + X];
    output[(F * size + Y) * size + X] = max(Sum, 0.0F);
  }
}

int main(int Argc, char **Argv) {
  return runLayer("layer v2", Argc, Argv, [](const float *Input, float *Output, int Size) {
    layer<<<dim3(Size / BlockX, Size / BlockY), dim3(BlockX, BlockY)>>>(Input, Output, Size);
  });
}
