// Enclosed in a condition, so not loop-invariant by the paper's second
// condition: iterations 0, 3, 6, 9 of 10 read.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("sometimes", "words").counts == [1 + 4] * 32
#include "common.h"

__global__ void sometimes(int n, int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  int Sum = 0;
  for (int I = 0; I < n; ++I)
    if (I % 3 == 0)
      Sum += words[threadIdx.x] * I;
  out[threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(32);
  sometimes<<<1, 32>>>(10, Out);
  printResult("sometimes", Out, 32);
}
