// Gaussian elimination, with a cudaDeviceSynchronize after each column that the order of the
// stream makes needless (the case of Rodinia's Gaussian in Diogenes, SC 2019, Section 5.1).
#include "steps.h"

constexpr int Threads = 96;

/// Computes the factor of the row to subtract from each row below.
__global__ void factors(const float *A, float *Factor, int N, int Row) {
  const int I = Row + 1 + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (I < N)
    Factor[I] = A[I * (N + 1) + Row] / A[Row * (N + 1) + Row];
}

/// A block for each of them.
__global__ void subtract(float *A, const float *Factor, int N, int Row) {
  const int I = Row + 1 + static_cast<int>(blockIdx.x);
  for (int J = Row + static_cast<int>(threadIdx.x); J <= N; J += Threads)
    A[I * (N + 1) + J] -= Factor[I] * A[Row * (N + 1) + J];
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {96, 1, 20000});
  // One step for each column. The right side is the last one. Strictly dominated by its diagonal;
  // the solution is all ones.
  const int N = S.Steps;
  std::vector<float> Matrix(size_t(N) * (N + 1), 1.f);
  for (int I = 0; I < N; ++I) {
    Matrix[size_t(I) * (N + 1) + I] = float(N);
    Matrix[size_t(I) * (N + 1) + N] = float(2 * N - 1);
  }
  const DeviceArray<float> A(Matrix), Factor(N);
  unsigned Host = 0;
  for (int Row = 0; Row + 1 < N; ++Row) {
    factors<<<(N - 1 - Row + Threads - 1) / Threads, Threads>>>(A, Factor, N, Row);
    CHECK(cudaDeviceSynchronize());
    subtract<<<N - 1 - Row, Threads>>>(A, Factor, N, Row);
    CHECK(cudaDeviceSynchronize());
    Host += prepare(Row, S.HostRounds);
  }
  const std::vector<float> Upper = A.download();
  std::vector<float> X(N);
  float Largest = 0;
  for (int I = N - 1; I >= 0; --I) {
    float Value = Upper[size_t(I) * (N + 1) + N];
    for (int J = I + 1; J < N; ++J)
      Value -= Upper[size_t(I) * (N + 1) + J] * X[J];
    X[I] = Value / Upper[size_t(I) * (N + 1) + I];
    Largest = std::max(Largest, std::abs(X[I] - 1));
  }
  return report("elimination", Host + (Largest < 1e-3f), Host + 1);
}
