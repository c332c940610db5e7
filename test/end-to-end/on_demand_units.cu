// With relocatable device code, each translation unit has PTX of its own. A kernel gets clones that
// have the functions of all units that it calls; they read the variables of all units, and print
// the literals of the right one.
// BUILD-NVCC: -O2 -rdc=true -lineinfo -cudart=shared
// FILES: on_demand_twice.cu
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: [g["count"] for g in coverage["gaps"] if g["what"] != "addresses in call paths"] == [2]
// EXPECT: sorted((k["name"], o["name"], l["access"], l["requests"], l["sectors"],
//         l["source"]["line"])
//     for k in summary["kernels"] for o in k["heat"]["objects"] for l in o["lines"]) == [
//     ("_Z3farPi", "Halves", "load", 2, 8, 8), ("_Z3farPi", "argument 1", "store", 2, 8, 31),
//     ("_Z4nearPi", "argument 1", "store", 2, 8, 26)]
// EXPECT-OUTPUT: 0 3 6 9
// EXPECT-OUTPUT: far 4
// EXPECT-OUTPUT: twice 5
// EXPECT-OUTPUT: 0 2 4 6
#include "common.h"
#include <cstdio>

extern __device__ int Halves[64];
extern __device__ int twice(int);

static __device__ __noinline__ int thrice(int X) { return 3 * X; }

__global__ void near(int *Out) { Out[threadIdx.x] = thrice(threadIdx.x); }

__global__ void far(int *Out) {
  if (threadIdx.x == 4)
    std::printf("far %d\n", 4);
  Out[threadIdx.x] = twice(threadIdx.x) / 2;
}

static void print(const int *Data) {
  int Host[64];
  CHECK(cudaMemcpy(Host, Data, sizeof(Host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", Host[0], Host[1], Host[2], Host[3]);
}

int main() {
  int *Out, Numbers[64];
  CHECK(cudaMalloc(&Out, 64 * sizeof(int)));
  for (int I = 0; I < 64; ++I)
    Numbers[I] = I;
  CHECK(cudaMemcpyToSymbol(Halves, Numbers, sizeof(Numbers)));
  near<<<1, 64>>>(Out);
  print(Out);
  far<<<1, 64>>>(Out);
  print(Out);
  CHECK(cudaFree(Out));
}
