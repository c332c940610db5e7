// A step of Gram-Schmidt, version 1: all threads read a column of q, whose elements are a row
// apart. One word of each loaded sector is used. Version 2 has q transposed.

#include "gramschmidt.h"

__global__ void project(int N, int K, float *a, float *r, const float *q) {
  const int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J <= K || J >= N)
    return;
  float Sum = 0.0f;
  for (int I = 0; I < N; ++I)
    Sum += q[I * N + K] * a[I * N + J];
  r[K * N + J] = Sum;
  for (int I = 0; I < N; ++I)
    a[I * N + J] -= q[I * N + K] * Sum;
}

int main(int Argc, char **Argv) {
  return runStep(
      "gramschmidt v1", Argc, Argv,
      [](int Blocks, int N, float *A, float *R, const float *Q) {
        project<<<Blocks, Threads>>>(N, FirstColumn, A, R, Q);
      },
      [](int N, int I, int K) { return size_t(I) * N + K; });
}
