// Two instances of one template, each with its own array.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("scale<int>", "tile").counts == [2] * 32
// EXPECT: shared("scale<double>", "tile").word_counts == [2] * 64
#include "common.h"

template <typename T> __global__ void scale(T f, int *out) {
  __shared__ T tile[32];
  tile[threadIdx.x] = f * T(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = (int)tile[31 - threadIdx.x];
}

int main() {
  int *Out = deviceInts(64);
  scale<int><<<1, 32>>>(3, Out);
  scale<double><<<1, 32>>>(0.5, Out + 32);
  printResult("scale", Out, 64);
}
