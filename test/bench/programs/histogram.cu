// A histogram of 256 bins in shared memory: addresses depend on data, so every
// block and every access counts.
#include "bench.h"

constexpr int N = 1 << 26, Bins = 256, Threads = 256, PerThread = 64;

__global__ void histogram(const float *in, unsigned *out) {
  __shared__ unsigned bins[Bins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int I = 0; I < PerThread; ++I) {
    const float Value = in[(blockIdx.x * PerThread + I) * Threads + threadIdx.x];
    atomicAdd(&bins[int(Value * Bins) & (Bins - 1)], 1u);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

int main() {
  const DeviceArray<float> In = deviceValues<float>(N);
  const DeviceArray<unsigned> Out(std::vector<unsigned>(Bins, 0));
  launch("histogram", [&] { histogram<<<N / (Threads * PerThread), Threads>>>(In, Out); });
  printSum("histogram", Out);
}
