// Results in a small buffer of the heap, whose first page holds other data too: the host reads an
// element there after it has accessed the other data. Asynchronous copies of page-locked memory
// never wait, even if work ends meanwhile. The copy to the heap waits, as does the next call: only
// the first of these waits can be called unnecessary.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: {f["source"]["line"] for f in summary["findings"]
//     if f["pattern"] == "unnecessary_synchronization"} <= {35}
// EXPECT: [s["waits"] for s in summary["sync"]["sites"] if s["api"] == "cudaMemcpyAsync"
//     and s["source"]["line"] == 33] == [0]
// EXPECT-OUTPUT: 16616
#include "common.h"
#include <cstring>

__global__ void spin(int *Data, int N) {
  for (int K = 0; K < 600; ++K)
    for (int I = threadIdx.x; I < N; I += 256)
      Data[I] = (Data[I] + 1) % 4096;
}

int main() {
  constexpr int N = 8192;
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  volatile char *Beside = static_cast<volatile char *>(malloc(64));
  int *Results = static_cast<int *>(malloc(N * sizeof(int))), *Pinned, *Data, *Other, Sum = 0;
  CHECK(cudaMallocHost(&Pinned, N * sizeof(int)));
  CHECK(cudaMalloc(&Data, N * sizeof(int)));
  CHECK(cudaMalloc(&Other, N * sizeof(int)));
  CHECK(cudaMemset(Data, 0, N * sizeof(int)));
  memset(Pinned, 0, N * sizeof(int));
  for (int Step = 0; Step < 10; ++Step) {
    CHECK(cudaMemcpyAsync(Other, Pinned, N * sizeof(int), cudaMemcpyHostToDevice, Stream));
    spin<<<1, 256, 0, Stream>>>(Data, N);
    CHECK(cudaMemcpyAsync(Results, Data, N * sizeof(int), cudaMemcpyDeviceToHost, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    Beside[Step] = 'x';
    Sum += Results[1];
  }
  printf("%d\n", Sum);
  free(Results);
  free(const_cast<char *>(Beside));
  CHECK(cudaFree(Data));
  CHECK(cudaFree(Other));
  CHECK(cudaFreeHost(Pinned));
}
