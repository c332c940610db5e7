// A reduction that is launched with 32, 64, 128 and 256 threads, three times each. The sampled
// launches 1, 2, 4 and 8 have at most 128 threads. Blocks of 256 threads access all of Part, and
// warps exchange its words, so no finding says that a part of it is unused or unshared.
// BUILD: -O2 -g
// OPTIONS: profile=overview
// EXPECT: sorted(l.mode for l in kernel("sum").launches if l.mode != "objects") == ["heat"] * 2 +
//     ["shared"] * 2
// EXPECT: not any(f["pattern"] in ("underused_shared_memory", "shared_memory_abuse")
//     for f in summary["findings"])
#include "common.h"

__global__ void sum(const int *In, int *Out) {
  __shared__ int Part[256];
  Part[threadIdx.x] = In[threadIdx.x];
  __syncthreads();
  for (int N = blockDim.x / 2; N > 0; N /= 2) {
    if (threadIdx.x < N)
      Part[threadIdx.x] += Part[threadIdx.x + N];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *Out = Part[0];
}

int main() {
  int *In = deviceInts(256), *Out = deviceInts(1);
  for (int Threads = 32; Threads <= 256; Threads *= 2)
    for (int I = 0; I < 3; ++I)
      sum<<<1, Threads>>>(In, Out);
  printResult("sum", Out, 1);
}
