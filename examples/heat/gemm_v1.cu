// The product of matrices, version 1: consecutive threads compute consecutive rows of C, so a
// warp's requests access columns. All warps of a block read the same rows of A, which makes them
// hot; each warp needs one column of B and of C, so eight warps share the words of a sector.
// Version 2 accesses rows, and keeps tiles of A and B in shared memory.

#include "gemm.h"

__global__ void gemm(int N, const float *a, const float *b, float *c) {
  const int Row = blockIdx.x * Side + threadIdx.x;
  const int Column = blockIdx.y * Side + threadIdx.y;
  float Sum = 0.0f;
  for (int K = 0; K < N; ++K)
    Sum += a[Row * N + K] * b[K * N + Column];
  c[Row * N + Column] = Alpha * Sum + Beta * c[Row * N + Column];
}

int main(int Argc, char **Argv) {
  return runGemm("gemm v1", Argc, Argv,
                 [](dim3 Grid, dim3 Block, int N, const float *A, const float *B, float *C) {
                   gemm<<<Grid, Block>>>(N, A, B, C);
                 });
}
