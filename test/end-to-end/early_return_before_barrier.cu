// Threads of the same warp return early and the others still meet at barriers
// and full-mask shuffles afterwards.
// BUILD: -O2
// BUILD: -O1 -g
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("meet", "words").counts == [2] * 40 + [0] * 24
#include "common.h"

__global__ void meet(int n, int *out) {
  __shared__ int words[64];
  if (threadIdx.x >= n)
    return;
  words[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  int Value = words[n - 1 - threadIdx.x];
  if (threadIdx.x < 32)
    Value += __shfl_xor_sync(0xffffffffu, Value, 1);
  out[threadIdx.x] = Value;
}

int main() {
  int *Out = deviceInts(64);
  meet<<<1, 64>>>(40, Out);
  printResult("meet", Out, 64);
}
