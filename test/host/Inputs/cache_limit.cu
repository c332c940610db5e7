#include <cstdio>

// A warp makes n + 1 requests.
__global__ void rows(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i * blockDim.x + threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void column(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i * blockDim.x + threadIdx.x];
  out[threadIdx.x] = sum;
}

int main(int argc, char **) {
  float *in, *out;
  cudaMalloc(&in, 64 * 512 * sizeof(float));
  cudaMalloc(&out, 20 * 64 * sizeof(float));
  cudaMemset(in, 0, 64 * 512 * sizeof(float));
  if (argc > 1) { // only warps that make two
    rows<<<20, 64>>>(in, out, 1);
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  for (int i = 0; i < 2; ++i)
    rows<<<20, 64>>>(in, out, 49);
  column<<<1, 32>>>(in, out, 499);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
