// Half of each warp and all of the last warp return before the accesses; the flush does not wait
// for them.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("leave", "words").counts == [4, 0] * 32 + [0] * 32
// EXPECT: kernel("leave").blocks == 2
#include "common.h"

__global__ void leave(int *out) {
  __shared__ int words[96];
  if (threadIdx.x % 2 || threadIdx.x >= 64)
    return;
  words[threadIdx.x] = threadIdx.x;
  __threadfence_block();
  out[blockIdx.x * 96 + threadIdx.x] = ((volatile int *)words)[threadIdx.x];
}

int main() {
  int *Out = deviceInts(192);
  leave<<<2, 96>>>(Out);
  printResult("leave", Out, 192);
}
