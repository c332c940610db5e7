// Assigning a large struct copies memory to memory: 16 words a thread.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("copies", "big").word_counts == [2] * 128
#include "common.h"

struct Big {
  int v[16];
};

__global__ void copies(const Big *in, Big *out) {
  __shared__ Big big[8];
  big[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = big[7 - threadIdx.x];
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(128);
  copies<<<1, 8>>>((const Big *)In, (Big *)Out);
  printResult("copies", Out, 128);
}
