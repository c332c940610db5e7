// A step of Gram-Schmidt, version 2: q is transposed, so the elements that threads read one after
// the other lie side by side.

#include "gramschmidt.h"

__global__ void project(int N, int K, float *a, float *r, const float *q) {
  const int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J <= K || J >= N)
    return;
  float Sum = 0.0f;
  for (int I = 0; I < N; ++I)
    Sum += q[K * N + I] * a[I * N + J];
  r[K * N + J] = Sum;
  for (int I = 0; I < N; ++I)
    a[I * N + J] -= q[K * N + I] * Sum;
}

int main(int Argc, char **Argv) {
  return runStep(
      "gramschmidt v2", Argc, Argv,
      [](int Blocks, int N, float *A, float *R, const float *Q) {
        project<<<Blocks, Threads>>>(N, FirstColumn, A, R, Q);
      },
      [](int N, int I, int K) { return size_t(K) * N + I; });
}
