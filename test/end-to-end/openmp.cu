// A host that is parallel by OpenMP: each of its threads launches into a stream of its own, and all
// share an array, of which each thread's kernels write a part as often as it has rounds.
// BUILD: -O2 -g -fopenmp
// BUILD: -O2 -g -Xcompiler -fopenmp
// OPTIONS: profile=global
// EXPECT: memory("add", "data").atomics == [5 * (1 + i // 64) for i in range(256)]
// EXPECT: len(kernel("add").launches) == 5 * (1 + 2 + 3 + 4)
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 4 threads
// EXPECT-OUTPUT: data: 6400
#include "common.h"
#include <omp.h>

__global__ void add(int *data, int part) { atomicAdd(&data[64 * part + threadIdx.x], part); }

int main() {
  int *data, threads = 0, sum = 0, host[256];
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemset(data, 0, sizeof(host)));
  CHECK(cudaDeviceSynchronize());
#pragma omp parallel num_threads(4) reduction(+ : threads)
  {
    threads += 1;
    const int part = omp_get_thread_num();
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 5 * (part + 1); ++round)
      add<<<1, 64, 0, stream>>>(data, part);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 256; ++i)
    sum += host[i];
  std::printf("%d threads\ndata: %d\n", threads, sum);
}
