// Memory is freed between launches, and during one, and allocated again at the same address: counts
// belong to the object that was live.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("scatter", 400).writes == [1] * 10 + [0] * 90
// EXPECT: memory("scatter", 396).writes == [2] * 20 + [0] * 79
// EXPECT: memory("scatter", 4000).writes == [1] * 30 + [0] * 970
// EXPECT: memory("scatter", 1000).reads == [4] * 10 + [3] * 10 + [1] * 10 + [0] * 220
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void scatter(int *out, const int *index, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[index[i]] = i;
}

int main() {
  int *Index = deviceInts(250), *A = deviceInts(100);
  scatter<<<1, 32>>>(A, Index, 10);
  printResult("a", A, 100);
  CHECK(cudaFree(A));
  A = deviceInts(99);
  scatter<<<1, 32>>>(A, Index, 20);
  scatter<<<1, 32>>>(A, Index, 20);
  printResult("a", A, 99);
  CHECK(cudaFree(A));
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaMallocAsync(&A, 4000, Stream));
  scatter<<<1, 32, 0, Stream>>>(A, Index, 30);
  CHECK(cudaFreeAsync(A, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaStreamDestroy(Stream));
}
