// 1000 accesses of a word reach the threshold of 255; 100 do not.
// BUILD: -O2 --gmprof-level=sa-na-sm-th --gmprof-counter-bits=8 --gmprof-threshold=255
//     -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("often", "words").capped == [1 if w < 16 else 0 for w in range(32)]
// EXPECT: shared("often", "words").counts[16:] == [101] * 16
// EXPECT: shared("often", "words").counts[:16] == [255] * 16
#include "common.h"

__global__ void often(int many, int few, int *out) {
  __shared__ volatile int words[32];
  const int N = threadIdx.x < 16 ? many : few;
  words[threadIdx.x] = 1;
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += words[threadIdx.x];
  out[threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(32);
  often<<<1, 32>>>(1000, 100, Out);
  printResult("often", Out, 32);
}
