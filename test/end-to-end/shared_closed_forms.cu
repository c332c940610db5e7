// Accesses of shared memory that are a function of the launch are computed, whatever is
// counted beside them.
//
// known: blocks take pieces of 32 of n elements in turn. Thread t stores to and loads
// word t for each; the first launch has 10 pieces for 4 blocks, the second 3, the
// third none. Nothing is left to count, so that sampling blocks changes nothing.
// EXPECT: shared("known", "tile").counts == [2 * (10 + 3)] * 32
// EXPECT: kernel("known").blocks == 3 * 4
// EXPECT: {s.rule for s in shared("known", "tile").sites} == {"closed_form"}
//
// mixed: thread t stores to word t and loads it, and stores to word 32 + t, which it
// reads from memory. Blocks 0, 4, … of 16 are counted; so a quarter of what is computed
// is added.
// EXPECT: shared("mixed", "tile").counts == [2 * 4] * 32 + [1 * 4] * 32
// EXPECT: kernel("mixed").blocks == 4
//
// wraps: 64 threads take numbers below 64 in steps, first of 32, then of -32: there
// threads 32 to 63 go on where the sum of unsigned integers wraps around.
// EXPECT: shared("wraps", "tile").counts == [(2 + 1) + (1 + 2)] * 32
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-counter-bits=16
// OPTIONS: block-sample=4:live-ranges=off
#include "common.h"

__global__ void known(int n, int *out) {
  __shared__ volatile int tile[32];
  int Sum = 0;
  for (int I = blockIdx.x * 32 + threadIdx.x; I < n; I += gridDim.x * 32) {
    tile[threadIdx.x] = I;
    Sum += tile[threadIdx.x];
  }
  out[blockIdx.x * 32 + threadIdx.x] = Sum;
}

__global__ void mixed(int *where) {
  __shared__ volatile int tile[64];
  const int T = threadIdx.x, I = blockIdx.x * 32 + T;
  tile[T] = I;
  tile[32 + (where[I] & 31)] = 1;
  where[I] = tile[T];
}

__global__ void wraps(unsigned n, unsigned step, int *out) {
  __shared__ volatile int tile[32];
  int Sum = 0;
  for (unsigned I = threadIdx.x; I < n; I += step) {
    tile[I % 32] = I;
    Sum += 1;
  }
  out[threadIdx.x] = Sum;
}

int main() {
  int *Out = deviceInts(4 * 32);
  known<<<4, 32>>>(320, Out);
  known<<<4, 32>>>(96, Out);
  known<<<4, 32>>>(0, Out);
  printResult("known", Out, 4 * 32);
  int *Where = deviceInts(16 * 32);
  mixed<<<16, 32>>>(Where);
  printResult("mixed", Where, 16 * 32);
  wraps<<<1, 64>>>(64, 32, Out);
  wraps<<<1, 64>>>(64, -32, Out);
  printResult("wraps", Out, 64);
}
