// ptxas loads 16 aligned bytes at a time, also where a word of them is not needed: the sums of
// warps 1 to 7 are two instructions, a request each per warp, of two wavefronts since lanes have 16
// bytes. Words 1, 2, 4 and 5 are four instructions.
// BUILD-NVCC: -O3 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.wavefronts) for l in heat_lines("seven", "Sums")
//     if l.access == "load"] == [("load", 8, 8 * 2)] * 2
// EXPECT: sum(l.requests for l in heat_lines("four", "Sums") if l.access == "load") == 4 * 8
// EXPECT: coverage["gaps"] == []
#include "common.h"

__device__ void sumWarp(int *Sums, int Value) {
  const int Sum = __reduce_add_sync(~0u, Value);
  if (threadIdx.x % 32 == 0)
    Sums[threadIdx.x / 32] = Sum;
  __syncthreads();
}

__global__ void seven(const int *In, int *Out) {
  __shared__ alignas(16) int Sums[8];
  sumWarp(Sums, In[threadIdx.x]);
  Out[threadIdx.x] = Sums[1] + Sums[2] + Sums[3] + Sums[4] + Sums[5] + Sums[6] + Sums[7];
}

__global__ void four(const int *In, int *Out) {
  __shared__ alignas(16) int Sums[8];
  sumWarp(Sums, In[threadIdx.x]);
  Out[threadIdx.x] = Sums[1] + Sums[2] + Sums[5] + Sums[6];
}

int main() {
  int *In = deviceInts(256), *Out = deviceInts(256);
  seven<<<1, 256>>>(In, Out);
  printResult("seven", Out, 256);
  four<<<1, 256>>>(In, Out);
  printResult("four", Out, 256);
}
