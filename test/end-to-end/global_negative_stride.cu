// A loop from the end to the start. Bytes: the default level counts groups of four, so that
// counters take at most a quarter of the object.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("reverse", "in").reads == [0] * 36 + [1] * 64
// EXPECT: (memory("bytes", "text").element_bytes, memory("bytes", "text").reads,
//     memory("bytes", "text").writes) in [(1, [1] * 48 + [0] * 16, [0] * 48 + [1] * 16),
//     (4, [4] * 12 + [0] * 4, [0] * 12 + [4] * 4)]
// EXPECT: memory("bytes", "text").element_bytes == (
//     1 if kernel("bytes").data["global_memory"]["level"] == "basic" else 4)
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void reverse(const int *in, int *out) { out[threadIdx.x] = in[99 - int(threadIdx.x)]; }

__global__ void bytes(signed char *text) {
  int Sum = 0;
  for (int I = 0; I < 3; ++I)
    Sum += text[threadIdx.x + I * 16];
  text[threadIdx.x + 48] = Sum;
}

int main() {
  int *In = deviceInts(100), *Out = deviceInts(64), *Text = deviceInts(16);
  reverse<<<1, 64>>>(In, Out);
  bytes<<<1, 16>>>(reinterpret_cast<signed char *>(Text));
  printResult("out", Out, 64);
  printResult("text", Text, 16);
}
