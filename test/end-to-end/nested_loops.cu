// The word is invariant in both loops: n * m reads a thread, and one in the
// outer loop only.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("nested", "inner").counts == [1 + 4 * 6] * 32
// EXPECT: shared("nested", "outer").counts == [1 + 4] * 32
#include "common.h"

__global__ void nested(int n, int m, int *out) {
  __shared__ volatile int inner[32], outer[32];
  inner[threadIdx.x] = threadIdx.x;
  outer[threadIdx.x] = 2;
  int Sum = 0;
  for (int I = 0; I < n; ++I) {
    for (int J = 0; J < m; ++J)
      Sum += inner[threadIdx.x];
    Sum *= outer[threadIdx.x];
  }
  out[threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(32);
  nested<<<1, 32>>>(4, 6, Out);
  printResult("nested", Out, 32);
}
