// Transposes a matrix, version 1: a warp reads a column of the tile, whose elements are all in one
// bank. Version 2 has rows of 33 elements.

#include "transpose.h"

__global__ void transpose(const float *in, float *out, int N) {
  __shared__ float tile[Tile][Tile];
  const int Row = blockIdx.y * Tile, Column = blockIdx.x * Tile;
  tile[threadIdx.y][threadIdx.x] = in[(Row + threadIdx.y) * N + Column + threadIdx.x];
  __syncthreads();
  out[(Column + threadIdx.y) * N + Row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int Argc, char **Argv) {
  return runTranspose("transpose v1", Argc, Argv,
                      [](dim3 Blocks, dim3 Threads, const float *In, float *Out, int N) {
                        transpose<<<Blocks, Threads>>>(In, Out, N);
                      });
}
