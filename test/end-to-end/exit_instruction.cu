// Threads leave by the PTX exit instruction in the middle of a device function.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("stop", "words").counts == [8 if w < 20 else 4 for w in range(32)]
// EXPECT: kernel("stop").blocks == 4
#include "common.h"

__device__ void stopAbove(int Limit) {
  if (threadIdx.x >= Limit)
    asm volatile("exit;");
}

__global__ void stop(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  stopAbove(20);
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x] + 1;
}

int main() {
  int *Out = deviceInts(128);
  stop<<<4, 32>>>(Out);
  printResult("stop", Out, 128);
}
