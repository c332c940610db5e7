// A reduction tree over 64 words. Word w is written once at first; at distance
// d the words below d are read and written and the words d to 2d-1 read; word 0
// is read once at the end. The distances above w are 6 - bit_length(w), and every
// other word is the far operand once: 1 + 2 * (6 - bit_length(w)) + 1 a block.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-inline-budget=0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("reduce", "words").counts == [28 - 4 * w.bit_length() for w in range(64)]
#include "common.h"

__global__ void reduce(const int *in, int *out) {
  __shared__ volatile int words[64];
  const int T = threadIdx.x;
  words[T] = in[blockIdx.x * 64 + T];
  __syncthreads();
  for (int D = 32; D > 0; D /= 2) {
    if (T < D)
      words[T] = words[T] + words[T + D];
    __syncthreads();
  }
  if (T == 0)
    out[blockIdx.x] = words[0];
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(2);
  reduce<<<2, 64>>>(In, Out);
  printResult("reduce", Out, 2);
}
