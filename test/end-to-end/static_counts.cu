// Addresses and counts known at compile time: 48 threads each write word 3 once
// and read words 3 and 7 once.
// BUILD: -O2
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("constants", "words").counts == [0, 0, 0, 96, 0, 0, 0, 48]
// EXPECT: all(s.rule == "static" for s in shared("constants", "words").sites)
#include "common.h"

__global__ void constants(int *out) {
  __shared__ volatile int words[8];
  words[3] = 5;
  out[threadIdx.x] = words[3] + 0 * words[7];
}

int main() {
  int *Out = deviceInts(48);
  constants<<<1, 48>>>(Out);
  printResult("constants", Out, 48);
}
