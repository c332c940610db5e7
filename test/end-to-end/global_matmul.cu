// Matrix multiplication without shared memory: each element of A and B is read once for
// each of 32 columns or rows of C. The matrices do not fill the last blocks.
// BUILD: -O2 -g
// BUILD: -O3 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("multiply", "A").reads == [32] * 1024
// EXPECT: memory("multiply", "B").reads == [32] * 1024
// EXPECT: memory("multiply", "C").writes == [1] * 1024
// EXPECT: memory("multiply", "C").reads is None
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void multiply(const int *A, const int *B, int *C, int n) {
  int Row = blockIdx.y * blockDim.y + threadIdx.y;
  int Column = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= n || Column >= n)
    return;
  int Sum = 0;
  for (int K = 0; K < n; ++K)
    Sum += A[Row * n + K] * B[K * n + Column];
  C[Row * n + Column] = Sum;
}

int main() {
  int *A = deviceInts(1024), *B = deviceInts(1024), *C = deviceInts(1024);
  multiply<<<dim3(3, 3), dim3(12, 12)>>>(A, B, C, 32);
  printResult("C", C, 1024);
}
