// A kernel in a library, which is loaded and closed again.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void turn(int *Out) {
  __shared__ volatile int Tile[32];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Tile[31 - threadIdx.x];
}

extern "C" void run() {
  int *Out, Result[32];
  cudaMalloc(&Out, sizeof(Result));
  turn<<<1, 32>>>(Out);
  cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost);
  cudaFree(Out);
  std::printf("%d %d\n", Result[0], Result[31]);
}
