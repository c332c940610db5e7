#include <cstdio>

constexpr int N = 64;

__global__ void product(const float *a, const float *b, float *c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < N; ++k)
    sum += a[y * N + k] * b[k * N + x];
  c[y * N + x] = sum;
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, N * N * sizeof(float));
  cudaMalloc(&b, N * N * sizeof(float));
  cudaMalloc(&c, N * N * sizeof(float));
  cudaMemset(a, 0, N * N * sizeof(float));
  cudaMemset(b, 0, N * N * sizeof(float));
  for (const dim3 block : {dim3(16, 16), dim3(8, 8)})
    product<<<dim3(N / block.x, N / block.y), block>>>(a, b, c);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
