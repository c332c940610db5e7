// Reads, writes and atomics are recorded separately: warp 0 reads words 0 to 31, warp 1 writes
// words 16 to 47, warp 2 adds to words 32 to 63, and thread 96, alone in warp 3, reads and writes
// word 8 twice.
// BUILD: -O2 -g
// BUILD: -O0
// OPTIONS: profile=heat
// EXPECT: heat("kinds", 256).words == [2 if w == 8 or 16 <= w < 48 else 1 for w in range(64)]
// EXPECT: heat("kinds", 256).sectors == [1, 2, 2, 2, 2, 2, 1, 1]
// EXPECT: heat("kinds", 256, by="reads").words == [2 if w == 8 else 1 if w < 32 else 0
//     for w in range(64)]
// EXPECT: heat("kinds", 256, by="reads").accesses == 32 + 2
// EXPECT: heat("kinds", 256, by="writes").words == [1 if w == 8 or 16 <= w < 48 else 0
//     for w in range(64)]
// EXPECT: heat("kinds", 256, by="writes").accesses == 32 + 2
// EXPECT: heat("kinds", 256, by="atomics").words == [0] * 32 + [1] * 32
// EXPECT: heat("kinds", 256, by="atomics").accesses == 32
// EXPECT: heat("kinds", 128, by="writes").words == [1] * 32
#include "common.h"

__global__ void kinds(volatile int *p, int *out) {
  const int T = threadIdx.x;
  if (T < 32)
    out[T] = p[T];
  __syncthreads();
  if (T >= 32 && T < 64)
    p[T - 16] = T;
  __syncthreads();
  if (T >= 64 && T < 96)
    atomicAdd((int *)&p[T - 32], 1);
  else if (T == 96)
    for (int I = 0; I < 2; ++I)
      p[8] = p[8] * 2;
}

int main() {
  int *P = deviceInts(64), *Out = deviceInts(32);
  kinds<<<1, 97>>>(P, Out);
  printResult("kinds", P, 64);
  printResult("kinds", Out, 32);
}
