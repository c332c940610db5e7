// Three blocks of 64 threads: block b accesses words 8 b to 8 b + 63 of p except the last four,
// whose threads return first. Block 1 of the second kernel returns immediately.
#include "common.h"

__global__ void blocks(int *p) {
  if (threadIdx.x >= 60)
    return;
  atomicAdd(&p[8 * blockIdx.x + threadIdx.x], 1);
}

__global__ void some(int *p) {
  if (blockIdx.x == 1)
    return;
  p[8 * blockIdx.x + threadIdx.x] = 1;
}

int main() {
  int *P = deviceInts(80), *Q = deviceInts(88);
  blocks<<<3, 64>>>(P);
  some<<<3, 64>>>(Q);
  printResult("blocks", P, 80);
}
