// A function that is not inlined gets pointers to global and to shared memory: threads 1 to 40 load
// a word of shared memory, and 41 to 63 of global memory, each the word before its own. In shared
// memory, which is dynamic, each of 64 threads stores its own word, so word 31, which thread 32
// loads, has two warps.
// BUILD: -O2 -g
// BUILD: -O2
// BUILD: -O0
// OPTIONS: profile=heat
// EXPECT: heat("choose", 252).words == [0] * 40 + [1] * 23
// EXPECT: heat("choose", 252, by="reads").accesses == 23
// EXPECT: heat("choose", 256, by="writes").words == [1] * 64
// EXPECT: heat("choose", "words").sharers == "W" * 31 + "S" + "W" * 8 + "T" * 24
// EXPECT: heat("choose", "words", by="writes").sharers == "T" * 64
// EXPECT: heat("choose", "words", by="reads").accesses == 40
// EXPECT: heat("choose", "words").accesses == 64 + 40
#include "common.h"

__device__ __noinline__ int load(const volatile int *p, int i) { return p[i]; }

__global__ void choose(const int *in, int *out) {
  extern __shared__ int words[];
  const int T = threadIdx.x;
  words[T] = T;
  __syncthreads();
  const bool Near = T >= 1 && T <= 40;
  const volatile int *From = Near ? (const volatile int *)words : in;
  out[T] = T == 0 ? 0 : load(From, T - 1);
}

int main() {
  int *In = deviceInts(63), *Out = deviceInts(64);
  choose<<<1, 64, 64 * sizeof(int)>>>(In, Out);
  printResult("choose", Out, 64);
}
