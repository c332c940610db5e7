// Matrix multiplication without shared memory: a thread for each element of the
// product, whose loop reads a row and a column.
//   matmul_naive [rows, a multiple of 16]
#include "bench.h"

constexpr int T = 16;

__global__ void matmul_naive(const float *A, const float *B, float *C, int n) {
  const int Row = blockIdx.y * T + threadIdx.y, Col = blockIdx.x * T + threadIdx.x;
  float Sum = 0.0f;
  for (int K = 0; K < n; ++K)
    Sum += A[Row * n + K] * B[K * n + Col];
  C[Row * n + Col] = Sum;
}

int main(int Argc, char **Argv) {
  const int N = Argc > 1 ? std::atoi(Argv[1]) : 1024;
  const DeviceArray<float> A = deviceValues<float>(N * N), B = deviceValues<float>(N * N), C(N * N);
  launch("matmul_naive", [&] { matmul_naive<<<dim3(N / T, N / T), dim3(T, T)>>>(A, B, C, N); });
  printSum("matmul_naive", C);
}
