#include <cstdio>

// A warp makes two requests.
__global__ void short_warps(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

// A warp makes 2 * n requests, n by the lanes of each half.
__global__ void halves(volatile float *low, volatile double *high, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    if (threadIdx.x % 32 < 16)
      low[i] = k;
    else
      high[i] = k;
}

int main() {
  const int blocks = 5000, threads = 96 * blocks;
  float *in, *out;
  double *high;
  cudaMalloc(&in, threads * sizeof(float));
  cudaMalloc(&out, threads * sizeof(float));
  cudaMalloc(&high, threads * sizeof(double));
  cudaMemset(in, 0, threads * sizeof(float));
  short_warps<<<blocks, 96>>>(in, out);
  halves<<<40, 96>>>(out, high, 50);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
