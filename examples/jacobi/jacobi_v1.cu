// Jacobi, version 1: the result of each point goes through shared memory.
//
// It looks like an optimisation and is none: every word of the tile is written
// once and read once, by the same thread. GMProf says so; version 2 acts on it.

#include "jacobi.h"

__global__ void jacobi(const float *in, float *out) {
  __shared__ float tile[Tile][Tile];
  const int Col = blockIdx.x * Tile + threadIdx.x + 1;
  const int Row = blockIdx.y * Tile + threadIdx.y + 1;

  tile[threadIdx.y][threadIdx.x] =
      0.25f * (in[(Row - 1) * Pitch + Col] + in[(Row + 1) * Pitch + Col] +
               in[Row * Pitch + Col - 1] + in[Row * Pitch + Col + 1]);
  __syncthreads();
  out[Row * Pitch + Col] = tile[threadIdx.y][threadIdx.x];
}

int main() {
  return runJacobi("jacobi v1", [](const float *In, float *Out) {
    jacobi<<<dim3(Size / Tile, Size / Tile), dim3(Tile, Tile)>>>(In, Out);
  });
}
