// Launches that the program waits for together record more than there is memory for. The end of
// each is known while those behind it run, and so nothing is lost. 128 warps load 100 times and
// store once in each.
// BUILD: -O2
// OPTIONS: profile=cache:launch-sampling=every:trace-memory=1M:trace-buffer=32K
// EXPECT: [l["traffic"]["requests"] for l in summary["cache"]["launches"]] == [128 * 101] * 12
// EXPECT: [l["launch"] for l in summary["cache"]["launches"]] == list(range(1, 13))
// EXPECT: summary["cache"]["lost"] == 0
#include "common.h"

__global__ void walk(const volatile int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 100; ++k)
    sum += in[(i * 17 + k * 33) % 4096];
  out[i] = sum;
}

int main() {
  int *In = deviceInts(4096), *Out = deviceInts(4096);
  for (int Time = 0; Time < 12; ++Time)
    walk<<<64, 64>>>(In, Out);
  printResult("walk", Out, 4096);
}
