// An access counts for each element that it touches: int4 loads of an array that is read
// as ints too, from the second int on.
// BUILD: -O2 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("sum", "x").element_bytes == 4
// EXPECT: memory("sum", "x").reads == [1] + [2] * 32 + [1] * 31
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void sum(const int *x, int *out) {
  int T = threadIdx.x;
  if (T < 16) {
    int4 Four = reinterpret_cast<const int4 *>(x)[T];
    atomicAdd(out, Four.x + 3 * Four.y + 5 * Four.z + 7 * Four.w);
  } else if (T >= 32) {
    atomicAdd(out, x[T - 31]);
  }
}

int main() {
  int *X = deviceInts(64), *Out = deviceInts(1);
  sum<<<1, 64>>>(X, Out);
  printResult("out", Out, 1);
}
