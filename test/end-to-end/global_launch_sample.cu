// The first two launches of each kernel are profiled.
// BUILD: -O2 -g
// OPTIONS: profile=global:launch-sample=2:launch-sampling=first
// EXPECT: memory("scatter", "out").writes == [2] * 5 + [1] * 5 + [0] * 22
// EXPECT: memory("scatter", "out").launches["writes"] == 2
// EXPECT: kernel("scatter").data["launch_counts"]["seen"] == 5
// EXPECT: kernel("scatter").data["launch_counts"]["profiled"] == 2
// EXPECT: summary["config"]["launch_sampling"] == "first"
#include "common.h"

__global__ void scatter(int *out, const int *index, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[index[i]] = i;
}

int main() {
  int *Out = deviceInts(32), *Index = deviceInts(32);
  for (int N : {10, 5, 20, 20, 20})
    scatter<<<1, 32>>>(Out, Index, N);
  printResult("out", Out, 32);
}
