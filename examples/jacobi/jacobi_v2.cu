// Jacobi, version 2: as GMProf's findings about version 1 suggest. A result stays in
// a register until it is stored.

#include "jacobi.h"

__global__ void jacobi(const float *in, float *out) {
  const int Col = blockIdx.x * Tile + threadIdx.x + 1;
#pragma unroll 1
  for (int T = 0; T < TilesPerBlock; ++T) {
    const int Row = (blockIdx.y * TilesPerBlock + T) * Tile + threadIdx.y + 1;
    out[Row * Pitch + Col] = 0.25f * (in[(Row - 1) * Pitch + Col] + in[(Row + 1) * Pitch + Col] +
                                      in[Row * Pitch + Col - 1] + in[Row * Pitch + Col + 1]);
  }
}

int main() {
  return runJacobi("jacobi v2", [](const float *In, float *Out) {
    jacobi<<<dim3(Tiles, Tiles / TilesPerBlock), dim3(Tile, Tile)>>>(In, Out);
  });
}
