#include "rows.h"

__global__ void sumRowsKernel(const int *In, int *Sums) {
  __shared__ int Row[Columns];
  Row[threadIdx.x] = In[blockIdx.x * Columns + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int Sum = 0;
    for (int Column = 0; Column < Columns; ++Column)
      Sum += Row[Column];
    Sums[blockIdx.x] = Sum;
  }
}

void sumRows(const int *In, int *Sums) { sumRowsKernel<<<Rows, Columns>>>(In, Sums); }
