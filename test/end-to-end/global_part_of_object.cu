// Parts of objects: a pointer into the middle, a stride of five, and an object that the kernel
// receives but does not access.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("copy", "from").reads == [0] * 50 + [1, 0, 0, 0, 0] * 20 + [0] * 50
// EXPECT: memory("copy", "to").writes == [1] * 20
// EXPECT: memory("copy", "from").use["touched"] == 20
// EXPECT: memory("copy", "from").use["reads"]["per_launch"]["mean"]["value"] == 0.1
// EXPECT: not [m for m in kernel("copy").memory if any(m.writes or []) and m.object["bytes"] == 28]
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void copy(const int *from, int *to, int *left, int n) {
  to[threadIdx.x] = from[5 * threadIdx.x];
  if (n < 0)
    left[threadIdx.x] = n;
}

int main() {
  int *From = deviceInts(200), *To = deviceInts(20), *Left = deviceInts(7);
  copy<<<1, 20>>>(From + 50, To, Left, 7);
  printResult("to", To, 20);
}
