// A kernel whose accesses the launch determines needs no clone of the profile of objects.
// BUILD: -O2 --gmprof-profile=objects
// OPTIONS: profile=objects
// EXPECT: coverage["launches"]["seen"] == 1
// EXPECT: coverage["launches"]["profiled"] == 1
// EXPECT: coverage["kernels"]["instrumented"] == 1
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void stores(int *out) { out[threadIdx.x] = 7; }

int main() {
  int *Out = deviceInts(32);
  stores<<<1, 32>>>(Out);
  printResult("stores", Out, 32);
}
