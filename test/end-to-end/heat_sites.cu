// Two kernels call the same function, and one of them a recursive one: each load is known by its
// line. A warp reads 32 adjacent words from 4 sectors, every other word from 8, and one word for
// all lanes from 1.
// BUILD: -O2 -g
// BUILD: -O0 -g -Xcuda-ptxas --suppress-stack-size-warning --gmprof-clones=compiled
// OPTIONS: profile=heat
// EXPECT: sorted((l["function"], l["source"]["line"], l["requests"], l["lanes"], l["sectors"])
//     for o in kernel("first").data["heat"]["objects"] for l in o["lines"]
//     if l["access"] == "load") == [("load", 19, 2, 64, 8)]
// EXPECT: sorted((l["function"], l["source"]["line"], l["requests"], l["lanes"], l["sectors"])
//     for o in kernel("second").data["heat"]["objects"] for l in o["lines"]
//     if l["access"] == "load") == [("load", 19, 1, 32, 8), ("sum", 22, 3, 96, 3)]
// EXPECT: kernel("second").data["heat"]["requests"] == 5
// EXPECT: kernel("first").data["heat"]["not_inlined_requests"] == 0
// EXPECT: kernel("second").data["heat"]["not_inlined_requests"] == 0
// EXPECT: [g["count"] for g in coverage["gaps"] if g["what"] == "requests"] in ([3], [8])
#include "common.h"

__device__ __noinline__ int load(const volatile int *p, int i) { return p[i]; }

__device__ __noinline__ int sum(const volatile int *p, int i) {
  return i == 0 ? 0 : p[i] + sum(p, i - 1);
}

__global__ void first(const int *in, int *out) {
  const int T = threadIdx.x;
  out[T] = load(in, T) + load(in, T + 32);
}

__global__ void second(const int *in, int *out) {
  const int T = threadIdx.x;
  out[T] = load(in, 2 * T) + sum(in, 3);
}

int main() {
  int *In = deviceInts(64), *Out = deviceInts(64);
  first<<<1, 32>>>(In, Out);
  second<<<1, 32>>>(In, Out + 32);
  printResult("both", Out, 64);
}
