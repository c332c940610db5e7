// Input, reference and result of both versions of the product of matrices. C = alpha A B + beta C,
// all square and stored by rows.

#ifndef GEMM_H
#define GEMM_H

#include "../example.h"

#include <cmath>

constexpr int Side = 32; // of a block's part of C, and of its threads
constexpr float Alpha = 0.5f, Beta = 2.0f;

/// Compares a part of the rows; on the host, all would take long.
static bool isProduct(int N, const std::vector<float> &A, const std::vector<float> &B,
                      const std::vector<float> &Before, const std::vector<float> &After) {
  const int Step = std::max(N / 64, 1);
  for (int Row = 0; Row < N; Row += Step)
    for (int Column = 0; Column < N; ++Column) {
      double Sum = 0.0;
      for (int K = 0; K < N; ++K)
        Sum += double(A[size_t(Row) * N + K]) * B[size_t(K) * N + Column];
      const size_t I = size_t(Row) * N + Column;
      if (std::fabs(Alpha * Sum + Beta * Before[I] - After[I]) > 1e-6 * N)
        return false;
    }
  return true;
}

/// Runs a version: Multiply(grid, block, N, A, B, C) launches it.
template <typename MultiplyFn>
int runGemm(const char *Name, int Argc, char **Argv, MultiplyFn Multiply) {
  const int N = problemSize(Argc, Argv, 128, Side);
  Random Numbers;
  std::vector<float> A(size_t(N) * N), B(A.size()), C(A.size());
  for (std::vector<float> *M : {&A, &B, &C})
    for (float &Element : *M)
      Element = Numbers.between(-1.0f, 1.0f);

  const DeviceArray<float> DeviceA(A), DeviceB(B);
  DeviceArray<float> DeviceC(C);
  const auto Launch = [&] {
    Multiply(dim3(N / Side, N / Side), dim3(Side, Side), N, DeviceA, DeviceB, DeviceC);
  };
  launch("gemm", Launch);
  if (std::getenv("EXAMPLE_TIMES")) { // C has changed with each launch
    DeviceC.upload(C);
    Launch();
  }
  const std::vector<float> Result = DeviceC.download();
  const bool Passed = isProduct(N, A, B, C, Result);
  double Sum = 0.0;
  for (float Element : Result)
    Sum += std::fabs(Element);
  std::printf("%s: %d rows, sum %.1f: %s\n", Name, N, Sum, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // GEMM_H
