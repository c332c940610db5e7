// With relocatable device code, each translation unit has PTX of its own. A kernel whose functions
// are in its unit gets clones; one that calls a function of another unit runs as it is.
// BUILD-NVCC: -O2 -rdc=true -lineinfo -cudart=shared
// FILES: on_demand_twice.cu
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: [k["name"] for k in coverage["kernels"]["not_instrumented"]] == ["far(int*)"]
// EXPECT: "twice" in coverage["kernels"]["not_instrumented"][0]["reason"]
// EXPECT: [(l["requests"], l["sectors"], l["source"]["line"]) for k in summary["kernels"]
//     for o in (k.get("heat") or {"objects": []})["objects"] for l in o["lines"]] == [(2, 8, 19)]
// EXPECT-OUTPUT: 0 3 6 9
// EXPECT-OUTPUT: 0 2 4 6
#include "common.h"
#include <cstdio>

extern __device__ int twice(int);

static __device__ __noinline__ int thrice(int X) { return 3 * X; }

__global__ void near(int *Out) { Out[threadIdx.x] = thrice(threadIdx.x); }

__global__ void far(int *Out) { Out[threadIdx.x] = twice(threadIdx.x); }

static void print(const int *Data) {
  int Host[64];
  CHECK(cudaMemcpy(Host, Data, sizeof(Host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", Host[0], Host[1], Host[2], Host[3]);
}

int main() {
  int *Out;
  CHECK(cudaMalloc(&Out, 64 * sizeof(int)));
  near<<<1, 64>>>(Out);
  print(Out);
  far<<<1, 64>>>(Out);
  print(Out);
  CHECK(cudaFree(Out));
}
