// Both sides of a divergent branch access shared memory.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("sides", "even").counts == [2 if w % 2 == 0 else 0 for w in range(32)]
// EXPECT: shared("sides", "odd").counts == [2 if w % 2 == 1 else 0 for w in range(32)]
#include "common.h"

__global__ void sides(int *out) {
  __shared__ volatile int even[32], odd[32];
  if (threadIdx.x % 2) {
    odd[threadIdx.x] = 1;
    out[threadIdx.x] = odd[threadIdx.x];
  } else {
    even[threadIdx.x] = 2;
    out[threadIdx.x] = even[threadIdx.x];
  }
}

int main() {
  int *Out = deviceInts(32);
  sides<<<1, 32>>>(Out);
  printResult("sides", Out, 32);
}
