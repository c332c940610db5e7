// A table that every thread of 300 reads: counting stops at 192, in each launch. The last element
// of each word of four counters is read so often as well, so that counters would carry into their
// neighbours: those are exact. A small array has larger counters.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("sum", "hot").reads[:8:4] == [384] * 2
// EXPECT: memory("sum", "hot").reads[3:8:4] == [384] * 2
// EXPECT: memory("sum", "hot").capped[:4] == [1, 0, 0, 1]
// EXPECT: memory("sum", "hot").reads[1:3] == [2, 382]
// EXPECT: memory("sum", "hot").reads[5:7] == [0, 2]
// EXPECT: memory("sum", "few").reads == [600, 2, 382, 600, 600, 0, 2, 600]
// EXPECT: memory("sum", "few").capped[0] == 0
// EXPECT: [memory("sum", "hot").use["reads"]["threshold_reached"],
//     memory("sum", "hot").use["reads"]["accesses"]["at_least"]] == [4, True]
#include "common.h"

// The element of each group of threads.
__global__ void zero(int *index) {
  const int Often[] = {0, 3, 4, 7};
  for (int I = threadIdx.x; I < 1393; I += 256)
    index[I] = I < 1200 ? Often[I % 4] : I < 1391 ? 2 : I == 1391 ? 1 : 6;
}

__global__ void sum(const int *hot, const int *few, const int *index, int *out) {
  for (int I = threadIdx.x; I < 1393; I += 256)
    out[I] = hot[index[I]] + few[index[I]];
}

int main() {
  int *Hot = deviceInts(5000), *Few = deviceInts(8), *Index = deviceInts(1393),
      *Out = deviceInts(1393);
  zero<<<1, 256>>>(Index);
  sum<<<1, 256>>>(Hot, Few, Index, Out);
  sum<<<1, 256>>>(Hot, Few, Index, Out);
  printResult("out", Out, 1393);
}
