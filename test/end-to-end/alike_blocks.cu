// Accesses of a block depend neither on its index nor on data: the first block is
// counted for all. In `neighbour` they depend on the index: blocks 0 and 1 read once
// more.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("alike", "words").counts == [2 * 50] * 32
// EXPECT: shared("unlike", "words").counts == [2 * 50 + 2] * 32
#include "common.h"

__global__ void alike(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = blockIdx.x;
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];
}

__global__ void unlike(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = blockIdx.x;
  int Value = words[threadIdx.x];
  if (blockIdx.x < 2)
    Value += words[threadIdx.x];
  out[blockIdx.x * 32 + threadIdx.x] = Value;
}

int main() {
  int *Out = deviceInts(50 * 32);
  alike<<<50, 32>>>(Out);
  printResult("alike", Out, 50 * 32);
  unlike<<<50, 32>>>(Out);
  printResult("unlike", Out, 50 * 32);
}
