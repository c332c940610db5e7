// Results beside other data. Each wait is needed: the host may use the results after it, unseen
// once other data in their page was accessed. A copy to the heap waits as well, and nothing uses
// its result before the next wait. Asynchronous copies of page-locked memory never wait.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["source"]["line"], s["waits"], s["unnecessary"], s["needed"] + s["assumed_needed"])
//     for s in sorted(summary["sync"]["sites"], key=lambda s: s["source"]["line"])
//     if s["api"] == "cudaStreamSynchronize"]
//     == [(39, 10, 0, 10), (55, 10, 0, 10), (57, 10, 0, 10)]
// EXPECT: [(s["waits"], s["unnecessary"]) for s in summary["sync"]["sites"]
//     if s["api"] == "cudaMemcpyAsync" and s["source"]["line"] == 38] == [(10, 10)]
// EXPECT: [s["waits"] for s in summary["sync"]["sites"] if s["api"] == "cudaMemcpyAsync"
//     and s["source"]["line"] == 36] == [0]
// EXPECT-OUTPUT: 16616
// EXPECT-OUTPUT: 55 1100
#include "common.h"
#include <cstring>

__global__ void spin(int *Data, int N, int Times) {
  for (int K = 0; K < Times; ++K)
    for (int I = threadIdx.x; I < N; I += 256)
      Data[I] = (Data[I] + 1) % 4096;
}

constexpr int N = 8192;

/// The page of the first results begins with other data, which the host accesses first.
int besideOther(cudaStream_t Stream, int *Data, int *Other, int *Pinned) {
  void *Block;
  if (posix_memalign(&Block, 4096, 4096 + N * sizeof(int)) != 0)
    return 0;
  volatile char *Beside = static_cast<volatile char *>(Block);
  int *Results = static_cast<int *>(Block) + 16;
  int Sum = 0;
  for (int Step = 0; Step < 10; ++Step) {
    CHECK(cudaMemcpyAsync(Other, Pinned, N * sizeof(int), cudaMemcpyHostToDevice, Stream));
    spin<<<1, 256, 0, Stream>>>(Data, N, 600);
    CHECK(cudaMemcpyAsync(Results, Data, N * sizeof(int), cudaMemcpyDeviceToHost, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    Beside[Step] = 'x';
    Sum += Results[1];
  }
  free(Block);
  return Sum;
}

/// Results of two streams share a page, in which the second stream still writes.
void besideEachOther(cudaStream_t Stream, cudaStream_t Second, int *Data, int *Other, int *Pinned) {
  int Sum = 0, Sum2 = 0;
  for (int Step = 0; Step < 10; ++Step) {
    spin<<<1, 256, 0, Stream>>>(Data, 256, 1);
    spin<<<1, 256, 0, Second>>>(Other, 256, 20);
    CHECK(cudaMemcpyAsync(Pinned, Data, sizeof(int), cudaMemcpyDeviceToHost, Stream));
    CHECK(cudaMemcpyAsync(Pinned + 1, Other, sizeof(int), cudaMemcpyDeviceToHost, Second));
    CHECK(cudaStreamSynchronize(Stream));
    Sum += Pinned[0];
    CHECK(cudaStreamSynchronize(Second));
    Sum2 += Pinned[1];
    CHECK(cudaMemsetAsync(Data + N / 2, Step, 4, Stream));
    CHECK(cudaMemsetAsync(Other + N / 2, Step, 4, Second));
  }
  printf("%d %d\n", Sum, Sum2);
}

int main() {
  cudaStream_t Stream, Second;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamCreate(&Second));
  int *Pinned, *Data, *Other;
  CHECK(cudaMallocHost(&Pinned, N * sizeof(int)));
  CHECK(cudaMalloc(&Data, N * sizeof(int)));
  CHECK(cudaMalloc(&Other, N * sizeof(int)));
  CHECK(cudaMemset(Data, 0, N * sizeof(int)));
  memset(Pinned, 0, N * sizeof(int));
  printf("%d\n", besideOther(Stream, Data, Other, Pinned));
  CHECK(cudaMemset(Data, 0, N * sizeof(int)));
  CHECK(cudaMemset(Other, 0, N * sizeof(int)));
  besideEachOther(Stream, Second, Data, Other, Pinned);
  CHECK(cudaFree(Data));
  CHECK(cudaFree(Other));
  CHECK(cudaFreeHost(Pinned));
}
