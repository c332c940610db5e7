// A program compiled for another profile: the report names the missing counts.
// BUILD: -O2 --gmprof-profile=objects
// OPTIONS: profile=global
// EXPECT: coverage["launches"]["seen"] == 2
// EXPECT: coverage["launches"]["refused"] == 1
// EXPECT: coverage["launches"]["nothing_to_profile"] == 1
// EXPECT: [(k["name"], k["reason"]) for k in coverage["kernels"]["not_instrumented"]] ==
//     [("stores(int*)", "it has no clone for this profile")]
// EXPECT: not coverage["whole"]
#include "common.h"

__global__ void nothing() {}

__global__ void stores(int *out) { out[threadIdx.x] = 7; }

int main() {
  int *Out = deviceInts(32);
  nothing<<<1, 32>>>();
  stores<<<1, 32>>>(Out);
  printResult("stores", Out, 32);
}
