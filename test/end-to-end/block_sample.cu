// One block in four is counted; the others run the plain body. What a block
// does depends on data, so that no block can stand for the others.
// BUILD: -O2
// OPTIONS: block-sample=4
// EXPECT: shared("sampled", "words").counts == [2 * 4] * 32
// EXPECT: kernel("sampled").blocks == 4
#include "common.h"

__global__ void sampled(int *out) {
  __shared__ volatile int words[32];
  const int I = blockIdx.x * 32 + threadIdx.x;
  words[threadIdx.x] = blockIdx.x;
  if (out[I] >= 0)
    out[I] = words[threadIdx.x];
}

int main() {
  int *Out = deviceInts(16 * 32);
  sampled<<<16, 32>>>(Out);
  printResult("sampled", Out, 16 * 32);
}
