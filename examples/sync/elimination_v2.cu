// Version 1 without the waits.
#include "steps.h"

constexpr int N = 96, Threads = 96;

/// Of the rows below: what to subtract of the row.
__global__ void factors(const float *A, float *Factor, int Row) {
  const int I = Row + 1 + static_cast<int>(threadIdx.x);
  if (I < N)
    Factor[I] = A[I * N + Row] / A[Row * N + Row];
}

__global__ void subtract(float *A, float *B, const float *Factor, int Row) {
  const int I = Row + 1 + static_cast<int>(blockIdx.x), J = static_cast<int>(threadIdx.x);
  if (I >= N || J < Row)
    return;
  A[I * N + J] -= Factor[I] * A[Row * N + J];
  if (J == Row)
    B[I] -= Factor[I] * B[Row];
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {1, 1, 20000});
  // Strictly dominated by its diagonal; the solution is all ones.
  std::vector<float> Matrix(N * N, 1.f), Right(N, float(2 * N - 1));
  for (int I = 0; I < N; ++I)
    Matrix[I * N + I] = float(N);
  const DeviceArray<float> A(Matrix), B(Right), Factor(N);
  unsigned Host = 0;
  for (int Row = 0; Row + 1 < N; ++Row) {
    factors<<<1, Threads>>>(A, Factor, Row);
    subtract<<<N - 1 - Row, Threads>>>(A, B, Factor, Row);
    Host += prepare(Row, S.HostRounds);
  }
  const std::vector<float> Upper = A.download(), Y = B.download();
  std::vector<float> X(N);
  float Largest = 0;
  for (int I = N - 1; I >= 0; --I) {
    float Value = Y[I];
    for (int J = I + 1; J < N; ++J)
      Value -= Upper[I * N + J] * X[J];
    X[I] = Value / Upper[I * N + I];
    Largest = std::max(Largest, std::abs(X[I] - 1));
  }
  return report("elimination", Host + (Largest < 1e-3f), Host + 1);
}
