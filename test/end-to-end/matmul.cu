// Tiled matrix multiplication, 8 x 8 tiles of 64 x 64 matrices: in each of 8
// steps a word of either tile is written once and read by 8 threads.
// BUILD: -O2
// BUILD: -O2 --gmprof-level=basic
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false --gmprof-clones=compiled
// EXPECT: shared("matmul", "a").counts == [64 * 8 * (1 + 8)] * 64
// EXPECT: shared("matmul", "b").counts == [64 * 8 * (1 + 8)] * 64
#include "common.h"

constexpr int T = 8, N = 64;

__global__ void matmul(const int *A, const int *B, int *C) {
  __shared__ int a[T][T], b[T][T];
  const int X = threadIdx.x, Y = threadIdx.y;
  const int Row = blockIdx.y * T + Y, Col = blockIdx.x * T + X;
  int Sum = 0;
  for (int K = 0; K < N; K += T) {
    a[Y][X] = A[Row * N + K + X];
    b[Y][X] = B[(K + Y) * N + Col];
    __syncthreads();
    for (int I = 0; I < T; ++I)
      Sum += a[Y][I] * b[I][X];
    __syncthreads();
  }
  C[Row * N + Col] = Sum;
}

int main() {
  int *A = deviceInts(N * N), *B = deviceInts(N * N), *C = deviceInts(N * N);
  matmul<<<dim3(N / T, N / T), dim3(T, T)>>>(A, B, C);
  printResult("matmul", C, N * N);
}
