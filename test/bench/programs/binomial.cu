// A binomial lattice for one option a block, swept backwards in shared memory.
#include "bench.h"

constexpr int Options = 8192, Steps = 255;

__global__ void binomial(const float *strikes, float *prices, int steps) {
  __shared__ float values[Steps + 1];
  const int T = threadIdx.x;
  const float Strike = 100.0f * strikes[blockIdx.x];
  values[T] = fmaxf(0.0f, 50.0f * __expf(0.01f * (2 * T - steps)) - Strike);
  __syncthreads();
  for (int Step = steps; Step > 0; --Step) {
    float Value = 0.0f;
    if (T < Step)
      Value = 0.49f * values[T] + 0.5f * values[T + 1];
    __syncthreads();
    if (T < Step)
      values[T] = Value;
    __syncthreads();
  }
  if (T == 0)
    prices[blockIdx.x] = values[0];
}

int main() {
  float *Strikes = deviceValues<float>(Options), *Prices = deviceValues<float>(Options);
  benchmark("binomial", [&] { binomial<<<Options, Steps + 1>>>(Strikes, Prices, Steps); });
  printSum("binomial", Prices, Options);
}
