// ldmatrix.x4 reads four 8 x 8 matrices of halves: each of the 32 rows of 16
// bytes once.
// BUILD: -O2
// EXPECT: shared("matrix", "halves").word_counts == [2] * 128
#include "common.h"

__global__ void matrix(int *out) {
  __shared__ __align__(16) unsigned halves[128];
  const int T = threadIdx.x;
  for (int I = 0; I < 4; ++I)
    halves[I * 32 + T] = I * 32 + T;
  __syncthreads();
  unsigned A, B, C, D;
  const unsigned Row = (unsigned)__cvta_generic_to_shared(&halves[T * 4]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(A), "=r"(B), "=r"(C), "=r"(D)
               : "r"(Row)
               : "memory");
  out[T] = A;
  out[32 + T] = B;
  out[64 + T] = C;
  out[96 + T] = D;
}

int main() {
  int *Out = deviceInts(128);
  matrix<<<1, 32>>>(Out);
  printResult("matrix", Out, 128);
}
