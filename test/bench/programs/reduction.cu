// A tree reduction in shared memory, 8 values a thread.
#include "bench.h"

constexpr int N = 1 << 26, Threads = 256, PerThread = 8;

__global__ void reduction(const float *in, float *out) {
  __shared__ float sums[Threads];
  const int T = threadIdx.x;
  float Sum = 0.0f;
  for (int I = 0; I < PerThread; ++I)
    Sum += in[(blockIdx.x * PerThread + I) * Threads + T];
  sums[T] = Sum;
  __syncthreads();
  for (int D = Threads / 2; D > 0; D /= 2) {
    if (T < D)
      sums[T] += sums[T + D];
    __syncthreads();
  }
  if (T == 0)
    out[blockIdx.x] = sums[0];
}

int main() {
  constexpr int Blocks = N / (Threads * PerThread);
  const DeviceArray<float> In = deviceValues<float>(N), Out(Blocks);
  launch("reduction", [&] { reduction<<<Blocks, Threads>>>(In, Out); });
  printSum("reduction", Out);
}
