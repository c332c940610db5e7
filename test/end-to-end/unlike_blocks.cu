// Most blocks have equal counts, though nothing proves it: of 2,000 blocks, the first
// 600 return without an access, and every 50th of the others stores to its words once
// more and to other words besides. If all threads leave together they flush behind a
// barrier, otherwise the last thread flushes. Counters of 8 bits stop at 255 in every
// block.
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// BUILD: -O2 -g --gmprof-counter-bits=8 --gmprof-counter-updates=plain
//     -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("together", "words").counts == [6 * (1400 * 2 + 28)] * 64 + [6 * 28] * 64
// EXPECT: shared("early", "words").counts == [6 * (1400 * 2 + 28)] * 64 + [6 * 28] * 64
// EXPECT: [kernel(k).blocks for k in ("together", "early", "hot")] == [12000] * 3
// EXPECT: shared("hot", "word").counts[0] in (6 * 2000 * 1000, 6 * 2000 * 255)
// EXPECT: shared("hot", "word").capped[0] ==
//     (12000 if shared("hot", "word").threshold == 255 else 0)
#include "common.h"

constexpr int Blocks = 2000, Threads = 64, Launches = 6;

__device__ __forceinline__ void storeAndLoad(volatile int *words, int *out) {
  const int T = threadIdx.x, Block = blockIdx.x;
  words[T] = Block;
  out[Block * Threads + T] = words[T];
  if (Block % 50 == 0) {
    words[T] = 1;
    words[Threads + T] = 1;
  }
}

__global__ void together(int *out) {
  __shared__ int words[2 * Threads];
  if (blockIdx.x >= 600)
    storeAndLoad(words, out);
}

__global__ void early(int *out) {
  __shared__ int words[2 * Threads];
  if (blockIdx.x < 600)
    return;
  storeAndLoad(words, out);
}

__global__ void hot(int *out) {
  __shared__ volatile int word;
  if (threadIdx.x != 0)
    return;
  word = blockIdx.x;
  int Sum = 0;
  for (int I = 0; I < 999 + int(blockIdx.x) / Blocks; ++I)
    Sum += word;
  out[blockIdx.x * Threads] = Sum;
}

int main() {
  int *Out = deviceInts(Blocks * Threads);
  for (int Launch = 0; Launch < Launches; ++Launch) {
    together<<<Blocks, Threads>>>(Out);
    early<<<Blocks, Threads>>>(Out);
    hot<<<Blocks, Threads>>>(Out);
    CHECK(cudaDeviceSynchronize());
  }
  printResult("blocks", Out, Blocks * Threads);
}
