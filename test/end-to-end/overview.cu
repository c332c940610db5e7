// Several profiles in one run. Of gather, launches 1, 2 and 4 are sampled, and run the clones of
// heat, of shared and of heat again. The others are recorded with their objects. The only launch of
// reverse runs the clone of heat, and closed forms count in shared. That of number runs no clone,
// and closed forms count in heat.
// BUILD: -O2 -g
// OPTIONS: profile=overview
// EXPECT: summary["config"]["profiles"] == ["shared", "objects", "heat", "sync"]
// EXPECT: sorted(l.mode for l in kernel("gather").launches) == ["heat"] * 2 + ["objects"] * 2 +
//     ["shared"]
// EXPECT: [l.mode for l in kernel("reverse").launches] == ["heat"]
// EXPECT: [l.mode for l in kernel("number").launches] == ["objects"]
// EXPECT: heat_launches("gather") == [1, 4]
// EXPECT: heat_launches("reverse") == [6] and heat_launches("number") == [7]
// EXPECT: heat("reverse", "Out").words == heat("number", "Out").words == [1] * 64
// EXPECT: shared("gather", "Tile").blocks == 2 and shared("gather", "Tile").counts == [4] * 64
// EXPECT: shared("reverse", "Tile").blocks == 1 and shared("reverse", "Tile").counts == [2] * 64
// EXPECT: sorted(a[0] for a in accesses("gather")) == ["Index", "Out"]
// EXPECT: coverage["launches"]["seen"] == coverage["launches"]["profiled"] == 7
// EXPECT: [s["api"] for s in summary["sync"]["sites"] if s["waits"]] == ["cudaDeviceSynchronize"]
// EXPECT: not any(f["origin"] == "diogenes" for f in summary["findings"])
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

__global__ void number(int *Out) { Out[threadIdx.x] += threadIdx.x; }

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
  number<<<1, 64>>>(Out);
  CHECK(cudaDeviceSynchronize());
  printResult("overview", Out, 128);
  CHECK(cudaFree(Index));
  CHECK(cudaFree(Out));
}
