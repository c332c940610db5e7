// Buffers have room for 31 requests of each of two warps: further requests are processed at once,
// with the same result. Each of 8 warps loads 20 times 32 adjacent words, in different orders; its
// odd lanes load one more word in each iteration, by themselves, so that requests of different
// lanes share rows.
// BUILD: -O2 -g
// OPTIONS: profile=heat:memory=8M
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used, l.misaligned, l.strided)
//     for l in heat_lines("gather", "x")] == [(160, 5120, 640, 640, 20480, 0, 0)]
// EXPECT: heat("gather", 1040).words == [8] * 256 + [0] * 4
// EXPECT: heat("gather", 1040, by="reads").accesses == 5120
// EXPECT: [(l.requests, l.lanes, l.sectors, l.bytes_used) for l in heat_lines("gather", "odd")]
//     == [(160, 2560, 160, 640)]
// EXPECT: heat("gather", 16, by="reads").accesses == 2560
// EXPECT: heat("gather", 1024, by="reads").accesses == 5120
// EXPECT: coverage["accesses"]["lost"] == 0
#include "common.h"

__global__ void gather(const volatile int *order, const int *x, const int *odd, int *out) {
  int Sum = 0;
  for (int K = 0; K < 20; ++K) {
    const int I = order[(threadIdx.x + 32 * K) % 256];
    Sum += x[I];
    if (I % 2 == 1)
      Sum += odd[I / 64];
  }
  out[threadIdx.x] = Sum;
}

int main() {
  int *Order = deviceInts(256), *X = deviceInts(260), *Odd = deviceInts(4), *Out = deviceInts(264);
  gather<<<1, 256>>>(Order, X, Odd, Out);
  printResult("gather", Out, 256);
}
