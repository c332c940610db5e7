#include <cstdio>
#include <cuda_runtime.h>

__device__ void stopAbove(unsigned Limit) {
  if (threadIdx.x >= Limit)
    asm volatile("exit;");
}

__global__ void stop(int *Out) {
  Out[threadIdx.x] = 1;
  stopAbove(32);
  Out[threadIdx.x] = 2;
}

int main() {
  int *Out = nullptr;
  cudaMalloc(&Out, 64 * sizeof(int));
  for (int I = 0; I < 40; ++I)
    stop<<<1, 64>>>(Out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
