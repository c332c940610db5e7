// Host memory of copies. fromPageable and toPageable copy pageable memory by asynchronous copies;
// perStep allocates page-locked memory in each step. kept allocates two such buffers once: nothing
// is wrong there. Small copies of pageable memory, and single ones, are no problem, either.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sorted((f["source"]["line"], f["pattern"], f["kind"]) for f in summary["findings"]
//     if f["pattern"] in ("pageable_transfer", "repeated_allocation"))
//     == [(32, "pageable_transfer", "host_to_device"), (44, "pageable_transfer", "device_to_host"),
//     (59, "repeated_allocation", "")]
// EXPECT: [[f["evidence"][k] for k in ("calls", "pageable", "pageable_bytes",
//     "largest_bytes")] for f in summary["findings"] if f["kind"] == "host_to_device"]
//     == [[5, 5, 5 * 262144, 262144]]
// EXPECT: [[f["evidence"][k] for k in ("allocations", "repeated", "largest_bytes")]
//     for f in summary["findings"] if f["pattern"] == "repeated_allocation"] == [[5, 4, 524288]]
// EXPECT-OUTPUT: 327680 327680 327680 327680
#include "common.h"
#include <vector>

constexpr int N = 65536, Steps = 5;

__global__ void add(const int *In, int *Out) {
  const int I = blockIdx.x * 256 + threadIdx.x;
  Out[I] += In[I];
}

long sum(const int *Host) { return Host[0] * long(N); }

long fromPageable(cudaStream_t Stream, int *In, int *Out) {
  std::vector<int> Host(N, 1), Result(N);
  CHECK(cudaMemsetAsync(Out, 0, N * sizeof(int), Stream));
  for (int Step = 0; Step < Steps; ++Step) {
    CHECK(cudaMemcpyAsync(In, Host.data(), N * sizeof(int), cudaMemcpyHostToDevice, Stream));
    add<<<N / 256, 256, 0, Stream>>>(In, Out);
  }
  CHECK(cudaMemcpyAsync(Result.data(), Out, 64, cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  return sum(Result.data());
}

long toPageable(cudaStream_t Stream, int *Out) {
  std::vector<int> Result(N);
  long Sum = 0;
  for (int Step = 0; Step < 2; ++Step) {
    CHECK(cudaMemcpyAsync(Result.data(), Out, N * sizeof(int), cudaMemcpyDeviceToHost, Stream));
    for (int Value : Result)
      Sum += Value;
    CHECK(cudaMemsetAsync(Out, 0, N * sizeof(int), Stream));
  }
  return Sum;
}

/// The buffer of a step is as large as its number: one of the size of the last serves for all.
long perStep(cudaStream_t Stream, int *In, int *Out) {
  int Result;
  CHECK(cudaMemsetAsync(Out, 0, N * sizeof(int), Stream));
  for (int Step = 0; Step < Steps; ++Step) {
    int *Host;
    const size_t Extra = Step == Steps - 1 ? 2 : 1;
    CHECK(cudaMallocHost(&Host, Extra * N * sizeof(int)));
    for (int I = 0; I < N; ++I)
      Host[I] = 1;
    CHECK(cudaMemcpyAsync(In, Host, N * sizeof(int), cudaMemcpyHostToDevice, Stream));
    add<<<N / 256, 256, 0, Stream>>>(In, Out);
    CHECK(cudaStreamSynchronize(Stream));
    CHECK(cudaFreeHost(Host));
  }
  CHECK(cudaMemcpy(&Result, Out, sizeof(int), cudaMemcpyDeviceToHost));
  return sum(&Result);
}

long kept(cudaStream_t Stream, int *In, int *Out) {
  int *Host[3], Result;
  for (int *&Each : Host) {
    CHECK(cudaMallocHost(&Each, N * sizeof(int)));
    for (int I = 0; I < N; ++I)
      Each[I] = 1;
  }
  CHECK(cudaMemsetAsync(Out, 0, N * sizeof(int), Stream));
  for (int Step = 0; Step < Steps; ++Step) {
    CHECK(cudaMemcpyAsync(In, Host[Step % 3], N * sizeof(int), cudaMemcpyHostToDevice, Stream));
    add<<<N / 256, 256, 0, Stream>>>(In, Out);
    CHECK(cudaStreamSynchronize(Stream));
  }
  CHECK(cudaMemcpy(&Result, Out, sizeof(int), cudaMemcpyDeviceToHost));
  for (int *Each : Host)
    CHECK(cudaFreeHost(Each));
  return sum(&Result);
}

int main() {
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  int *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(int)));
  CHECK(cudaMalloc(&Out, N * sizeof(int)));
  const long First = fromPageable(Stream, In, Out), Second = toPageable(Stream, Out),
             Third = perStep(Stream, In, Out);
  printf("%ld %ld %ld %ld\n", First, Second, Third, kept(Stream, In, Out));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
