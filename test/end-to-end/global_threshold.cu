// A table that every thread of 300 reads: counting stops at 255, in each launch.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("sum", "hot").reads[0] in (510, 600)
// EXPECT: memory("sum", "hot").capped[0] == (memory("sum", "hot").reads[0] == 510)
// EXPECT: memory("sum", "hot").reads[1:4] == [2, 2, 2]
// EXPECT: [memory("sum", "hot").use["reads"]["threshold_reached"],
//     memory("sum", "hot").use["reads"]["accesses"]["at_least"]] ==
//     [memory("sum", "hot").capped[0]] * 2
#include "common.h"

__global__ void zero(int *index) { index[threadIdx.x] = threadIdx.x < 300 ? 0 : threadIdx.x - 299; }

__global__ void sum(const int *hot, const int *index, int *out) {
  out[threadIdx.x] = hot[index[threadIdx.x]];
}

int main() {
  int *Hot = deviceInts(4), *Index = deviceInts(303), *Out = deviceInts(303);
  zero<<<1, 303>>>(Index);
  sum<<<1, 303>>>(Hot, Index, Out);
  sum<<<1, 303>>>(Hot, Index, Out);
  printResult("out", Out, 303);
}
