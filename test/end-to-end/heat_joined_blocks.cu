// Records of a clone and closed forms are joined block by block: each of four blocks stores its own
// words, described by a closed form, and loads by an index from memory words of the same block
// (own), or of the next one (next). Therefore no sector of `own` is accessed by several blocks, and
// all sectors of `next` are; each has the same two warps everywhere, which makes one run.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT-SAME-HEAT:
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void exchange(const volatile int *order, volatile int *own, volatile int *next,
                         int *out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  own[I] = I;
  next[I] = I;
  const int From = order[I];
  out[I] = own[From] + next[(From + blockDim.x) % 256];
}

int main() {
  int *Order = deviceInts(256), *Own = deviceInts(256), *Next = deviceInts(256);
  int *Out = deviceInts(256);
  exchange<<<4, 64>>>(Order, Own, Next, Out);
  printResult("exchange", Out, 256);
}
