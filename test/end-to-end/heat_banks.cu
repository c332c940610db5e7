// Wavefronts of requests of shared memory, by two full warps: words side by side take 1, every
// second word 2, every 32nd word 32, words 33 apart 1, and one word for all 1. Requests of 8 bytes
// take 2, one for each half of the warp, and of 16 bytes 4.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("banks", "words")] == [("store", 2, 64, 2, 2), ("load", 2, 64, 4, 2),
//     ("load", 2, 64, 64, 2), ("load", 2, 64, 2, 2), ("load", 2, 64, 2, 2)]
// EXPECT: [(l.access, l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("banks", "longs")] == [("store", 2, 64, 4, 4)]
// EXPECT: [(l.access, l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("banks", "vectors")] == [("store", 2, 64, 8, 8)]
// EXPECT: [f[:3] for f in heat_findings() if f[0] == "bank_conflict"] == [
//     ("bank_conflict", "load", "words")]
// EXPECT: finding("bank_conflict", "words")["wavefronts_per_request"] == 32
#include "common.h"

__global__ void banks(int *out, int From) {
  __shared__ volatile int words[64 * 33];
  __shared__ volatile long long longs[64];
  __shared__ int4 vectors[64];
  const int T = threadIdx.x;
  words[T] = T;
  int Sum = words[2 * T];
  Sum += words[32 * T];
  Sum += words[33 * T];
  Sum += words[From];
  longs[T] = Sum;
  vectors[T] = make_int4(Sum, T, T, Sum);
  __syncthreads();
  if (From < 0)
    out[T] = vectors[From + T].x + (int)longs[From];
}

int main() {
  int *Out = deviceInts(64);
  banks<<<1, 64>>>(Out, 5);
  printResult("banks", Out, 64);
}
