// Kernels of nvcc get clones that are made of their module's PTX, and measure what those of the
// plugin measure. Parameters have no names, since the PTX has none. The clones reach the program's
// variables: what they add to one is what the program reads, and its constants are theirs.
// BUILD-NVCC: -O2 -lineinfo -cudart=shared
// OPTIONS: profile=overview
// EXPECT: coverage["kernels"] == {"seen": 1, "instrumented": 1, "nothing_to_profile": 0,
//     "not_instrumented": []}
// EXPECT: sorted(l.mode for l in kernel("gather").launches) == ["heat"] * 2 + ["objects"] * 4 +
//     ["shared"] * 2
// EXPECT: heat_launches("gather") == [1, 4]
// EXPECT: shared("gather", "Tile").blocks == 4 and shared("gather", "Tile").counts == [8] * 64
// EXPECT: sorted(a[0] for a in accesses("gather")) == ["", "", "Blocks", "Factor"]
// EXPECT: [k["source"]["line"] for k in summary["kernels"]] == [23]
// EXPECT: [g for g in coverage["gaps"] if g["what"] != "addresses in call paths"] == []
// EXPECT: coverage["launches"]["without_counts"] == 0
// EXPECT-OUTPUT: 16 blocks
#include "common.h"
#include <cstdio>

__device__ int Blocks;
__constant__ int Factor;

__global__ void gather(const int *Index, int *Out) {
  __shared__ int Tile[64];
  Tile[Index[threadIdx.x]] = threadIdx.x;
  __syncthreads();
  Out[Index[threadIdx.x] + 64 * blockIdx.x] = Tile[Index[63 - threadIdx.x]] * Factor;
  if (threadIdx.x == 0)
    atomicAdd(&Blocks, 1);
}

int main() {
  int *Index, *Out;
  CHECK(cudaMalloc(&Index, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 128 * sizeof(int)));
  setInts(Index, 64, 5);
  const int Three = 3;
  CHECK(cudaMemcpyToSymbol(Factor, &Three, sizeof(Three)));
  for (int I = 0; I < 8; ++I)
    gather<<<2, 64>>>(Index, Out);
  CHECK(cudaDeviceSynchronize());
  printResult("on demand", Out, 128);
  int Count = 0;
  CHECK(cudaMemcpyFromSymbol(&Count, Blocks, sizeof(Count)));
  std::printf("%d blocks\n", Count);
}
