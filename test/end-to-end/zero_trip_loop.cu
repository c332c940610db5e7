// A loop that never runs counts nothing.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("never", "words").counts == [1] * 32
#include "common.h"

__global__ void never(int n, int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  int Sum = 0;
  for (int I = 0; I < n; ++I)
    Sum += words[threadIdx.x];
  out[threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(32);
  never<<<1, 32>>>(0, Out);
  printResult("never", Out, 32);
}
