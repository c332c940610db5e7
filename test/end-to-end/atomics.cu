// A histogram by shared atomics: 128 threads, 8 bins, plus initialisation and
// one read by the threads 0 to 7.
// BUILD: -O2
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("histogram", "bins").counts == [1 + 16 + 1] * 8
#include "common.h"

__global__ void histogram(const int *in, int *out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(8);
  histogram<<<1, 128>>>(In, Out);
  printResult("histogram", Out, 8);
}
