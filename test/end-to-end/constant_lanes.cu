// Lanes that load different constants by their index in the grid, in a loop over the grid, or from
// the end. The index of a block is that of all its lanes; of an index from memory nothing is known.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted((f["kernel"]["name"].split("(")[0], f["source"]["line"],
//     f["evidence"]["passes_per_request"], f["evidence"]["lane_stride_bytes"])
//     for f in summary["findings"] if f["pattern"] == "serialized_constant_load")
//     == [("backwards", 28, 32, 4), ("byThread", 18, 32, 4), ("overGrid", 23, 32, 4)]
// EXPECT-OUTPUT: 523776 523776 523776 211456 523776
#include "common.h"

constexpr int N = 1024;

__constant__ int Table[N];

__global__ void byThread(int *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = Table[I];
}

__global__ void overGrid(int *Out) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    Out[I] = Table[I];
}

__global__ void backwards(int *Out) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = Table[N - 1 - I];
}

__global__ void byBlock(int *Out) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] = Table[59 * blockIdx.x];
}

__global__ void byData(int *Out, const int *In) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = Table[In[I]];
}

static long sumOf(const int *Out) {
  CHECK(cudaDeviceSynchronize());
  long Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Out[I];
  return Sum;
}

int main() {
  int Host[N], *In, *Out;
  CHECK(cudaMallocManaged(&In, sizeof(Host)));
  CHECK(cudaMallocManaged(&Out, sizeof(Host)));
  for (int I = 0; I < N; ++I)
    Host[I] = In[I] = I;
  CHECK(cudaMemcpyToSymbol(Table, Host, sizeof(Host)));
  byThread<<<8, 128>>>(Out);
  std::printf("%ld", sumOf(Out));
  overGrid<<<2, 128>>>(Out);
  std::printf(" %ld", sumOf(Out));
  backwards<<<8, 128>>>(Out);
  std::printf(" %ld", sumOf(Out));
  byBlock<<<8, 128>>>(Out);
  std::printf(" %ld", sumOf(Out));
  byData<<<8, 128>>>(Out, In);
  std::printf(" %ld\n", sumOf(Out));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
