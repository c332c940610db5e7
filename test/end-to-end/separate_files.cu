// A program of two files, each with a kernel of its own and an array of the same name. With
// relocatable device code (the first two variants) this file's kernel also calls a device function
// of the other file.
// FILES: separate_files_other.cu
// BUILD: -O2 -rdc=true -DRELOCATABLE
// BUILD: -O0 -g -fgpu-rdc -DRELOCATABLE
// BUILD: -O2
// EXPECT: shared("here", "words").counts == [2 * 2] * 32
// EXPECT: shared("there", "words").counts == [3] * 64
// EXPECT: len(kernel("here").launches) == 1 and len(kernel("there").launches) == 1
// EXPECT-OUTPUT: there: 15
#include "common.h"

void launchThere(int *Out);

#ifdef RELOCATABLE
__device__ int twice(int);
#else
__device__ int twice(int I) { return 2 * I; }
#endif

__global__ void here(int *out) {
  __shared__ volatile int words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = twice(words[31 - threadIdx.x]);
}

int main() {
  int *Out = deviceInts(64);
  here<<<2, 32>>>(Out);
  printResult("here", Out, 64);
  launchThere(Out);
  int Last;
  CHECK(cudaMemcpy(&Last, Out + 5, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("there: %d\n", Last);
}
