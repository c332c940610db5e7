// A kernel without shared memory runs as it is, and coverage stays whole.
// BUILD: -O2
// EXPECT: kernel("plain").arrays == []
// EXPECT: coverage["launches"]["seen"] == 1
// EXPECT: coverage["launches"]["nothing_to_profile"] == 1
// EXPECT: coverage["kernels"]["nothing_to_profile"] == 1
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void plain(int *out) { out[threadIdx.x] += 1; }

int main() {
  int *Out = deviceInts(32);
  plain<<<1, 32>>>(Out);
  printResult("plain", Out, 32);
}
