// Shuffles, votes and ballots between shared accesses.
// BUILD: -O2
// BUILD: -O0
// EXPECT: shared("vote", "words").counts == [2] * 64
#include "common.h"

__global__ void vote(const int *in, int *out) {
  __shared__ volatile int words[64];
  const int T = threadIdx.x;
  int Value = in[T];
  for (int D = 16; D > 0; D /= 2)
    Value += __shfl_down_sync(0xffffffffu, Value, D);
  words[T] = Value;
  const unsigned Ballot = __ballot_sync(0xffffffffu, T % 3 == 0);
  __syncthreads();
  out[T] = words[63 - T] + __popc(Ballot) + __any_sync(0xffffffffu, T == 40);
}

int main() {
  int *In = deviceInts(64), *Out = deviceInts(64);
  vote<<<1, 64>>>(In, Out);
  printResult("vote", Out, 64);
}
