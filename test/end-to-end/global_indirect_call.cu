// Accesses of a function called through a pointer are unknown, and no clone can count them, while
// closed forms describe all others: these are counted, and the call is in the coverage.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("apply", "out").writes == [1] * 64
// EXPECT: kernel("apply").data["global_memory"]["launches_by_closed_forms"] == 1
// EXPECT: (coverage["launches"]["profiled"], coverage["launches"]["refused"]) == (1, 0)
// EXPECT: [Each["reason"] for Each in coverage["accesses"]["skipped"]] == ["indirect call"]
#include "common.h"

using Operation = int (*)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ Operation TheOperation = twice;

__global__ void apply(int *out) { out[threadIdx.x] = TheOperation(threadIdx.x); }

int main() {
  int *Out = deviceInts(64);
  apply<<<1, 64>>>(Out);
  printResult("out", Out, 64);
}
