// Reverses tiles and scales them, with a variable that the host reads.
#include <cstdio>
#include <cuda_runtime.h>
__constant__ float Weights[2] = {2, 3};
__device__ int Calls;
template <typename T> __global__ void scale(T *Data, int N) {
  __shared__ T Tile[64];
  int I = blockIdx.x * 64 + threadIdx.x;
  Tile[63 - threadIdx.x] = I < N ? Data[I] : T(0);
  __syncthreads();
  if (I < N)
    Data[I] = Tile[threadIdx.x] * Weights[I % 2];
  if (threadIdx.x == 0)
    atomicAdd(&Calls, 1);
}
int main() {
  float Host[100], *Data;
  for (int I = 0; I < 100; ++I)
    Host[I] = I;
  cudaMalloc(&Data, sizeof(Host));
  cudaMemcpy(Data, Host, sizeof(Host), cudaMemcpyHostToDevice);
  scale<<<2, 64>>>(Data, 100);
  cudaError_t Error = cudaGetLastError();
  if (Error == cudaSuccess)
    Error = cudaDeviceSynchronize();
  if (Error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(Error));
    return 1;
  }
  cudaMemcpy(Host, Data, sizeof(Host), cudaMemcpyDeviceToHost);
  int Count = 0;
  cudaMemcpyFromSymbol(&Count, Calls, sizeof(Count));
  std::printf("%d blocks: %g %g %g\n", Count, Host[0], Host[63], Host[99]);
}
