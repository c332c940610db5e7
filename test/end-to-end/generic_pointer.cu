// A function that is not inlined gets a pointer that is sometimes shared,
// sometimes global memory: only the shared accesses count.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("choose", "words").counts == [2 if w < 16 else 1 for w in range(32)]
#include "common.h"

__device__ __noinline__ int load(const volatile int *p, int i) { return p[i]; }

__global__ void choose(const int *in, int *out) {
  __shared__ volatile int words[32];
  const int T = threadIdx.x;
  words[T] = T;
  const volatile int *From = T < 16 ? (const volatile int *)words : in;
  out[T] = load(From, T);
}

int main() {
  int *In = deviceInts(32), *Out = deviceInts(32);
  choose<<<1, 32>>>(In, Out);
  printResult("choose", Out, 32);
}
