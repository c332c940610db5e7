// Jacobi, version 1: the results of each tile of points go through shared memory.
//
// This is no optimisation. A block processes its tiles one after the other, so each
// word of shared memory has many accesses; but each result in it is stored once and
// loaded once, by the same thread. GMProf's live ranges show the difference; version 2
// fixes it.

#include "jacobi.h"

__global__ void jacobi(const float *in, float *out) {
  __shared__ float tile[Tile][Tile];
  const int Col = blockIdx.x * Tile + threadIdx.x + 1;
#pragma unroll 1
  for (int T = 0; T < TilesPerBlock; ++T) {
    const int Row = (blockIdx.y * TilesPerBlock + T) * Tile + threadIdx.y + 1;
    tile[threadIdx.y][threadIdx.x] =
        0.25f * (in[(Row - 1) * Pitch + Col] + in[(Row + 1) * Pitch + Col] +
                 in[Row * Pitch + Col - 1] + in[Row * Pitch + Col + 1]);
    __syncthreads();
    out[Row * Pitch + Col] = tile[threadIdx.y][threadIdx.x];
  }
}

int main() {
  return runJacobi("jacobi v1", [](const float *In, float *Out) {
    jacobi<<<dim3(Tiles, Tiles / TilesPerBlock), dim3(Tile, Tile)>>>(In, Out);
  });
}
