// Stream compaction: a prefix sum over flags that depend on data, then a
// conditional store of the chosen values through shared memory.
#include "bench.h"

constexpr int N = 1 << 26, Threads = 256;

__global__ void compaction(const float *in, float *out, int *counts) {
  __shared__ int positions[Threads];
  __shared__ float chosen[Threads];
  const int T = threadIdx.x;
  const float Value = in[blockIdx.x * Threads + T];
  const bool Chosen = Value > 0.75f;
  positions[T] = Chosen;
  __syncthreads();
  for (int D = 1; D < Threads; D *= 2) {
    const int Left = T >= D ? positions[T - D] : 0;
    __syncthreads();
    positions[T] += Left;
    __syncthreads();
  }
  const int Count = positions[Threads - 1];
  if (Chosen)
    chosen[positions[T] - 1] = Value;
  __syncthreads();
  out[blockIdx.x * Threads + T] = T < Count ? chosen[T] : 0.0f;
  if (T == 0)
    counts[blockIdx.x] = Count;
}

int main() {
  const DeviceArray<float> In = deviceValues<float>(N), Out(N);
  const DeviceArray<int> Counts(N / Threads);
  launch("compaction", [&] { compaction<<<N / Threads, Threads>>>(In, Out, Counts); });
  printSum("compaction", Out);
}
