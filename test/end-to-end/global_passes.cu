// Counters of one object fit at a time: launches count objects in turn, and the coverage says so.
// Two of the six launches count an object, so counts are multiplied by three.
// BUILD: -O2 -g
// OPTIONS: profile=global:memory=40K
// EXPECT: memory("copy", "out").writes == [6] * 100 + [0] * 28572
// EXPECT: memory("copy", "in").reads == [6] * 100 + [0] * 28572
// EXPECT: memory("copy", "index").reads == [6] * 100 + [0] * 28572
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("objects of launches", 12)]
// EXPECT: not coverage["whole"]
#include "common.h"

__global__ void copy(int *out, const int *in, const int *index, int n) {
  int i = __brev(threadIdx.x) >> 25; // no closed form describes that
  if (i < n)
    out[index[i]] = in[index[i]];
}

int main() {
  constexpr int N = 28672; // as many counters: 28 KiB
  int *Out = deviceInts(N), *In = deviceInts(N), *Index = deviceInts(N);
  for (int I = 0; I < 6; ++I) {
    copy<<<1, 128>>>(Out, In, Index, 100);
    CHECK(cudaDeviceSynchronize());
  }
  printResult("out", Out, N);
}
