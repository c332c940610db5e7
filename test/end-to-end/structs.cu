// An array of structs: fields x and tag are used, y is never touched.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("fields", "points").word_counts == [2, 0, 3] * 32
#include "common.h"

struct Point {
  int x, y, tag;
};

__global__ void fields(int *out) {
  __shared__ Point points[32];
  const int T = threadIdx.x;
  points[T].x = T;
  points[T].tag = 1;
  __syncthreads();
  volatile int *Tag = &points[31 - T].tag;
  out[T] = points[31 - T].x + *Tag + *Tag;
}

int main() {
  int *Out = deviceInts(32);
  fields<<<1, 32>>>(Out);
  printResult("fields", Out, 32);
}
