// Dynamic shared memory cut into two arrays, beside a static one; 32 words are
// asked for and never used.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("cut", "pool").counts == [2] * 64 + [3] * 64 + [0] * 32
// EXPECT: shared("cut", "fixed").counts == [1] * 64
#include "common.h"

__global__ void cut(int *out) {
  extern __shared__ int pool[];
  __shared__ volatile int fixed[64];
  volatile int *First = pool, *Second = pool + blockDim.x;
  const int T = threadIdx.x;
  fixed[T] = T;
  First[T] = T;
  Second[T] = 2 * T;
  __syncthreads();
  out[T] = First[63 - T] + Second[63 - T] + Second[T];
}

int main() {
  int *Out = deviceInts(64);
  cut<<<1, 64, 160 * sizeof(int)>>>(Out);
  printResult("cut", Out, 64);
}
