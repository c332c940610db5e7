// Every width and the exact reference count the same: 200 a word.
// BUILD: -O2 --gmprof-level=basic
// BUILD: -O2 --gmprof-level=sa
// BUILD: -O2 --gmprof-level=sa-na
// BUILD: -O2 --gmprof-level=sa-na-sm --gmprof-counter-bits=32
// BUILD: -O2 --gmprof-level=sa-na-sm-th --gmprof-counter-bits=8
// BUILD: -O2 --gmprof-level=sa-na-sm-th --gmprof-counter-bits=16
// BUILD: -O2 --gmprof-level=sa-na-sm-th --gmprof-counter-bits=32
// EXPECT: shared("steps", "words").counts == [200 * 5] * 32
// EXPECT: shared("steps", "words").capped == [0] * 32
#include "common.h"

__global__ void steps(int n, int *out) {
  __shared__ volatile int words[32];
  int Sum = 0;
  words[threadIdx.x] = 1;
  for (int I = 1; I < n; ++I)
    Sum += words[(threadIdx.x + I) % 32];
  out[blockIdx.x * 32 + threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(160);
  steps<<<5, 32>>>(200, Out);
  printResult("steps", Out, 160);
}
