// cp.async writes shared memory without passing through registers: 16 bytes a
// thread, then every word is read once.
// BUILD: -O2
// EXPECT: shared("pipeline", "words").counts == [2] * 128
#include "common.h"
#include <cuda_pipeline.h>

__global__ void pipeline(const int *in, int *out) {
  __shared__ __align__(16) int words[128];
  const int T = threadIdx.x;
  __pipeline_memcpy_async(&words[4 * T], &in[4 * T], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int I = 0; I < 4; ++I)
    out[I * 32 + T] = words[127 - (I * 32 + T)];
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(128);
  pipeline<<<1, 32>>>(In, Out);
  printResult("pipeline", Out, 128);
}
