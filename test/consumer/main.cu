#include "rows.h"
#include <cstdio>

__global__ void fill(int *In) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  In[I] = I;
}

int main() {
  int *In, *Sums, Host[Rows];
  cudaMalloc(&In, Rows * Columns * sizeof(int));
  cudaMalloc(&Sums, sizeof(Host));
  fill<<<Rows, Columns>>>(In);
  sumRows(In, Sums);
  cudaError_t Error = cudaMemcpy(Host, Sums, sizeof(Host), cudaMemcpyDeviceToHost);
  if (Error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(Error));
    return 1;
  }
  std::printf("total %d\n", total(Host));
}
