// Every fourth block counts; numbers are scaled up.
// BUILD: -O2 -g
// OPTIONS: profile=global:block-sample=4
// EXPECT: memory("scatter", "out").writes == ([4] * 32 + [0] * 96) * 4
// EXPECT: kernel("scatter").data["global_memory"]["blocks_counted"] == 4
// EXPECT: kernel("scatter").data["global_memory"]["blocks_launched"] == 16
#include "common.h"

__global__ void scatter(int *out, const int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = i;
}

int main() {
  int *Out = deviceInts(512), *Index = deviceInts(512);
  scatter<<<16, 32>>>(Out, Index);
  printResult("out", Out, 512);
}
