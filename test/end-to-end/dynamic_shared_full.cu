// Dynamic shared memory that leaves no room for counters: they are in device
// memory.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("full", "pool").counts[:256] == [2 * 2] * 256
// EXPECT: sum(shared("full", "pool").counts) == 256 * 4
// EXPECT: kernel("full").counters == "device"
#include "common.h"

__global__ void full(int *out) {
  extern __shared__ int pool[];
  pool[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = pool[255 - threadIdx.x];
}

int main() {
  int *Out = deviceInts(512), Most = 0;
  CHECK(cudaDeviceGetAttribute(&Most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(cudaFuncSetAttribute(full, cudaFuncAttributeMaxDynamicSharedMemorySize, Most));
  full<<<2, 256, Most>>>(Out);
  printResult("full", Out, 512);
}
