// Jacobi, the version of GMProf's paper: a tile of the input, with its halo, in shared memory. A
// point inside is loaded from device memory once and read four times from the tile; the result goes
// straight to device memory.

#include "jacobi.h"

__global__ void jacobi(const float *in, float *out) {
  __shared__ float tile[Tile + 2][Tile + 2];
  const int Col = blockIdx.x * Tile + threadIdx.x + 1;
  const int X = threadIdx.x + 1, Y = threadIdx.y + 1;
#pragma unroll 1
  for (int T = 0; T < TilesPerBlock; ++T) {
    const int Row = (blockIdx.y * TilesPerBlock + T) * Tile + threadIdx.y + 1;
    tile[Y][X] = in[Row * Pitch + Col];
    if (threadIdx.y == 0)
      tile[0][X] = in[(Row - 1) * Pitch + Col];
    if (threadIdx.y == Tile - 1)
      tile[Tile + 1][X] = in[(Row + 1) * Pitch + Col];
    if (threadIdx.x == 0)
      tile[Y][0] = in[Row * Pitch + Col - 1];
    if (threadIdx.x == Tile - 1)
      tile[Y][Tile + 1] = in[Row * Pitch + Col + 1];
    __syncthreads();
    out[Row * Pitch + Col] =
        0.25f * (tile[Y - 1][X] + tile[Y + 1][X] + tile[Y][X - 1] + tile[Y][X + 1]);
    __syncthreads();
  }
}

int main() {
  return runJacobi("jacobi paper", [](const float *In, float *Out) {
    jacobi<<<dim3(Tiles, Tiles / TilesPerBlock), dim3(Tile, Tile)>>>(In, Out);
  });
}
