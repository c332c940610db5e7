// Tiled matrix multiplication.
#include "bench.h"

constexpr int N = 2048, T = 16;

__global__ void matmul(const float *A, const float *B, float *C, int n) {
  __shared__ float a[T][T], b[T][T];
  const int X = threadIdx.x, Y = threadIdx.y;
  const int Row = blockIdx.y * T + Y, Col = blockIdx.x * T + X;
  float Sum = 0.0f;
  for (int K = 0; K < n; K += T) {
    a[Y][X] = A[Row * n + K + X];
    b[Y][X] = B[(K + Y) * n + Col];
    __syncthreads();
    for (int I = 0; I < T; ++I)
      Sum += a[Y][I] * b[I][X];
    __syncthreads();
  }
  C[Row * n + Col] = Sum;
}

int main() {
  const DeviceArray<float> A = deviceValues<float>(N * N), B = deviceValues<float>(N * N), C(N * N);
  launch("matmul", [&] { matmul<<<dim3(N / T, N / T), dim3(T, T)>>>(A, B, C, N); });
  printSum("matmul", C);
}
