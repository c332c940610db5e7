// Lanes that leave requests by themselves fill their room sooner than the others, take more without
// them, and then go on with them. Three times, lanes 0 to 7 of each of two warps load 100 words,
// of which the first with all 32 lanes, and then all lanes one of another array, in an order
// that only memory tells. Per warp and turn: 1 request of 4 sectors and 99 of 1; and 1 of 4.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used, l.misaligned, l.strided)
//     for l in heat_lines("turns", "x")] == [(600, 4944, 618, 618, 19776, 0, 0)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.bytes_used) for l in heat_lines("turns", "y")]
//     == [(6, 192, 24, 768)]
// EXPECT: heat("turns", 256, by="reads").accesses == 192
// EXPECT: heat("turns", 260, by="reads").accesses == 4944
// EXPECT: coverage["accesses"]["lost"] == 0
#include "common.h"

__global__ void turns(const volatile int *order, const volatile int *x, const int *y, int *out) {
  const int I = order[threadIdx.x];
  int Sum = 0;
  for (int Turn = 0; Turn < 3; ++Turn) {
    for (int K = 0; K < (I % 32 < 8 ? 100 : 1); ++K)
      Sum += x[I];
    Sum += y[(I + 8 * Turn) % 64];
  }
  out[threadIdx.x] = Sum;
}

int main() {
  int *Order = deviceInts(66), *X = deviceInts(65), *Y = deviceInts(64), *Out = deviceInts(67);
  turns<<<1, 64>>>(Order, X, Y, Out);
  printResult("turns", Out, 64);
}
