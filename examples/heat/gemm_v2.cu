// The product of matrices, version 2: consecutive threads compute consecutive columns of C, and a
// block keeps tiles of A and B in shared memory, each word of which it loads once.

#include "gemm.h"

__global__ void gemm(int N, const float *a, const float *b, float *c) {
  __shared__ float tileA[Side][Side], tileB[Side][Side];
  const int X = threadIdx.x, Y = threadIdx.y;
  const int Row = blockIdx.y * Side + Y, Column = blockIdx.x * Side + X;
  float Sum = 0.0f;
  for (int First = 0; First < N; First += Side) {
    tileA[Y][X] = a[Row * N + First + X];
    tileB[Y][X] = b[(First + Y) * N + Column];
    __syncthreads();
    for (int K = 0; K < Side; ++K)
      Sum += tileA[Y][K] * tileB[K][X];
    __syncthreads();
  }
  c[Row * N + Column] = Alpha * Sum + Beta * c[Row * N + Column];
}

int main(int Argc, char **Argv) {
  return runGemm("gemm v2", Argc, Argv,
                 [](dim3 Grid, dim3 Block, int N, const float *A, const float *B, float *C) {
                   gemm<<<Grid, Block>>>(N, A, B, C);
                 });
}
