// All 64 threads read word 0 in each of n iterations: n * 64, added by one
// thread after the loop.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 --gmprof-counter-bits=16 --gmprof-threshold=60000
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// RUN: 3
// EXPECT: shared("repeat", "words").counts[1:] == [1] * 63
// EXPECT: shared("repeat", "words").at_least(0, 1 + 3 * 64)
#include "common.h"

__global__ void repeat(int n, int *out) {
  __shared__ volatile int words[64];
  words[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  int Sum = 0;
  for (int I = 0; I < n; ++I)
    Sum += words[0];
  out[threadIdx.x] = Sum;
}

int main(int argc, char **argv) {
  int *Out = deviceInts(64);
  repeat<<<1, 64>>>(argc > 1 ? std::atoi(argv[1]) : 3, Out);
  printResult("repeat", Out, 64);
}
