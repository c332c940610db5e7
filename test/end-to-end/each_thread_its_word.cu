// Every thread writes its own word and reads its mirror: two accesses a word.
// BUILD: -O2
// BUILD: -O0 -g
// BUILD: -O3 -g
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("mirror", "words").counts == [2 * 3] * 64
// EXPECT: shared("mirror", "words").bytes == 256
// EXPECT: kernel("mirror").blocks == 3
#include "common.h"

__global__ void mirror(const int *in, int *out) {
  __shared__ int words[64];
  words[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = words[63 - threadIdx.x];
}

int main() {
  int *In = deviceInts(192), *Out = deviceInts(192);
  mirror<<<3, 64>>>(In, Out);
  printResult("mirror", Out, 192);
}
