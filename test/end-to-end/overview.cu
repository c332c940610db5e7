// Several profiles in one run. Launches 1, 2 and 4 of gather are sampled, and run the clones of
// heat, of shared and of heat again; the others are recorded with their objects. Closed forms
// describe reverse: its only launch counts in heat and in shared, and no clone runs. BUILD: -O2 -g
// OPTIONS: profile=overview
// EXPECT: summary["config"]["profiles"] == ["shared", "objects", "heat", "sync"]
// EXPECT: sorted(l.mode for l in kernel("gather").launches) == ["heat", "heat", "objects",
// "objects", "shared"] EXPECT: [l.mode for l in kernel("reverse").launches] == ["objects"] EXPECT:
// heat_launches("gather") == [1, 4] EXPECT: heat_launches("reverse") == [6] EXPECT: heat("reverse",
// "Out").words == [1] * 64 EXPECT: shared("gather", "Tile").blocks == 2 and shared("gather",
// "Tile").counts == [4] * 64 EXPECT: shared("reverse", "Tile").blocks == 1 and shared("reverse",
// "Tile").counts == [2] * 64 EXPECT: sorted(a[0] for a in accesses("gather")) == ["Index", "Out"]
// EXPECT: coverage["launches"]["seen"] == coverage["launches"]["profiled"] == 6
// EXPECT: [s["api"] for s in summary["sync"]["sites"] if s["waits"]] == ["cudaDeviceSynchronize"]
// EXPECT: not any(f["pattern"] in ("unnecessary_synchronization", "misplaced_synchronization",
// "duplicate_transfer")
//     for f in summary["findings"])
#include "common.h"

__global__ void gather(const int *Index, int *Out) {
  __shared__ int Tile[64];
  Tile[Index[threadIdx.x]] = threadIdx.x;
  __syncthreads();
  Out[Index[threadIdx.x] + 64 * blockIdx.x] = Tile[Index[63 - threadIdx.x]];
}

__global__ void reverse(int *Out) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Tile[63 - threadIdx.x];
}

int main() {
  int Numbers[64];
  for (int I = 0; I < 64; ++I)
    Numbers[I] = I * 5 % 64;
  int *Index, *Out;
  CHECK(cudaMalloc(&Index, sizeof(Numbers)));
  CHECK(cudaMalloc(&Out, 2 * sizeof(Numbers)));
  CHECK(cudaMemcpy(Index, Numbers, sizeof(Numbers), cudaMemcpyHostToDevice));
  for (int I = 0; I < 5; ++I)
    gather<<<2, 64>>>(Index, Out);
  reverse<<<1, 64>>>(Out);
  CHECK(cudaDeviceSynchronize());
  printResult("overview", Out, 128);
  CHECK(cudaFree(Index));
  CHECK(cudaFree(Out));
}
