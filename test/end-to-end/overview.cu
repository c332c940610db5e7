// Several profiles in one run. Of gather, launches 1, 2, 4 and 8 are sampled, and run the clones of
// heat and of shared in turn; the others are recorded with their objects. The only launch of
// reverse runs no clone, and closed forms count in heat and in shared. The last launch still runs
// when the program exits.
// BUILD: -O2 -g
// OPTIONS: profile=overview
// EXPECT: summary["config"]["profiles"] == ["objects", "sync", "heat", "shared"]
// EXPECT: sorted(l.mode for l in kernel("gather").launches) == ["heat"] * 2 + ["objects"] * 4 +
//     ["shared"] * 2
// EXPECT: [l.mode for l in kernel("reverse").launches] == ["objects"]
// EXPECT: heat_launches("gather") == [1, 4]
// EXPECT: heat_launches("reverse") == [8]
// EXPECT: heat("reverse", "Out").words == [1] * 64 + [0] * 64
// EXPECT: shared("gather", "Tile").blocks == 4 and shared("gather", "Tile").counts == [8] * 64
// EXPECT: shared("reverse", "Tile").blocks == 1 and shared("reverse", "Tile").counts == [4] * 32
// EXPECT: sorted(a[0] for a in accesses("gather")) == ["Index", "Out"]
// EXPECT: coverage["launches"]["seen"] == coverage["launches"]["profiled"] == 9
// EXPECT: "cudaDeviceSynchronize" in [s["api"] for s in summary["sync"]["sites"]]
// EXPECT: [g for g in coverage["gaps"] if g["what"] != "addresses in call paths"] == []
// EXPECT: coverage["launches"]["without_counts"] == 0
// EXPECT: not any(f["origin"] == "diogenes" for f in summary["findings"])
#include "common.h"

__global__ void gather(const int *Index, int *Out) {
  __shared__ int Tile[64];
  Tile[Index[threadIdx.x]] = threadIdx.x;
  __syncthreads();
  Out[Index[threadIdx.x] + 64 * blockIdx.x] = Tile[Index[63 - threadIdx.x]];
}

__global__ void reverse(int *Out, int N) {
  __shared__ volatile int Tile[32];
  for (int I = threadIdx.x; I < N; I += 32) {
    Tile[threadIdx.x] = I;
    Out[N - 1 - I] = Tile[threadIdx.x];
  }
}

int main() {
  int *Index, *Out;
  CHECK(cudaMalloc(&Index, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 128 * sizeof(int)));
  setInts(Index, 64, 5);
  for (int I = 0; I < 7; ++I)
    gather<<<2, 64>>>(Index, Out);
  reverse<<<1, 32>>>(Out, 64);
  CHECK(cudaDeviceSynchronize());
  printResult("overview", Out, 128);
  gather<<<2, 64>>>(Index, Out);
}
