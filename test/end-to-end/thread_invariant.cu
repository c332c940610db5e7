// All 96 threads of a block read word 5: one thread adds 96 for all of them.
// Thread 0 wrote it, every thread wrote its own word.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("broadcast", "words").counts == [(97 if w == 5 else 1) * 2 for w in range(96)]
#include "common.h"

__global__ void broadcast(const int *in, int *out) {
  __shared__ int words[96];
  words[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = words[5] + threadIdx.x;
}

int main() {
  int *In = deviceInts(192), *Out = deviceInts(192);
  broadcast<<<2, 96>>>(In, Out);
  printResult("broadcast", Out, 192);
}
