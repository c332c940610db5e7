// Words covered by 1-, 2-, 8- and 16-byte accesses. 16 threads write and read
// their own element: a word holds four chars or two shorts, a double covers two
// words, a float4 four.
// BUILD: -O2
// BUILD: -O0
// BUILD: -O2 -mllvm -gm-shared-closed-forms=false
// EXPECT: shared("sizes", "chars").word_counts == [8] * 4
// EXPECT: shared("sizes", "shorts").word_counts == [4] * 8
// EXPECT: shared("sizes", "doubles").word_counts == [2] * 32
// EXPECT: shared("sizes", "vectors").word_counts == [2] * 64
#include "common.h"

__global__ void sizes(int *out) {
  __shared__ volatile char chars[16];
  __shared__ volatile short shorts[16];
  __shared__ volatile double doubles[16];
  __shared__ float4 vectors[16];
  const int T = threadIdx.x;
  chars[T] = T;
  shorts[T] = T;
  doubles[T] = T;
  vectors[T] = make_float4(T, T, T, T);
  __syncthreads();
  const float4 V = vectors[15 - T];
  out[T] = chars[15 - T] + shorts[15 - T] + (int)doubles[15 - T] + (int)(V.x + V.y + V.z + V.w);
}

int main() {
  int *Out = deviceInts(16);
  sizes<<<1, 16>>>(Out);
  printResult("sizes", Out, 16);
}
