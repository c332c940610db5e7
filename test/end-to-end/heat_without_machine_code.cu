// Clones that the compiler makes are made before the machine code: all requests are those of the
// PTX, which has no instruction of 16 bytes for the four neighbouring words. Atomics are what they
// are in the PTX.
// BUILD: -O2 -g --gmprof-profile=heat
// OPTIONS: profile=heat
// EXPECT: summary["coverage"]["gaps"] == [{"what": "requests", "reason": "counted as in the PTX: "
//     "GMProf does not know the machine code of their kernels",
//     "count": 8 * (4 + 4) + 8 * (4 + 1)}]
// EXPECT: sum(l.requests for l in heat_lines("sum", "Tile") if l.access == "load") == 4 * 8
#include "common.h"

__global__ void sum(const int *In, int *Out) {
  __shared__ int Tile[1024];
  const int T = threadIdx.x;
  for (int I = 0; I < 4; ++I)
    Tile[T + 256 * I] = In[T + 256 * I];
  __syncthreads();
  Out[T] = Tile[4 * T] + Tile[4 * T + 1] + Tile[4 * T + 2] + Tile[4 * T + 3];
  atomicAdd(&Out[256], T);
}

int main() {
  int *In = deviceInts(1024), *Out = deviceInts(257);
  sum<<<1, 256>>>(In, Out);
  printResult("out", Out, 257);
}
