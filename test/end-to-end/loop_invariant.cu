// Each thread reads its own word once in each of n iterations (volatile keeps
// the loads in the loop): counted once after the loop, n a thread.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// RUN: 7
// EXPECT: shared("repeat", "words").counts == [8] * 32
#include "common.h"

__global__ void repeat(int n, int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  int Sum = 0;
  for (int I = 0; I < n; ++I)
    Sum += words[threadIdx.x];
  out[threadIdx.x] = Sum;
}

int main(int argc, char **argv) {
  int *Out = deviceInts(32);
  repeat<<<1, 32>>>(argc > 1 ? std::atoi(argv[1]) : 7, Out);
  printResult("repeat", Out, 32);
}
