// Two blocks of a warp read the same line of 128 bytes, and write a line each.

#include <cstdio>

__global__ void readSame(const float *In, float *Out) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] = In[threadIdx.x]; // line 6
}

int main() {
  float *In, *Out;
  cudaMalloc(&In, 128);
  cudaMalloc(&Out, 256);
  cudaMemset(In, 0, 128);
  readSame<<<2, 32>>>(In, Out);
  const cudaError_t Error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(Error));
  return Error != cudaSuccess;
}
