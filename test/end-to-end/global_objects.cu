// Objects of all kinds, reached through pointers of several kinds: plain, into the
// middle, in a struct, of a module's variable. Index arrays hide the addresses from
// the compiler, so that accesses must be counted.
// BUILD: -O2 -g
// BUILD: -O0 -g --gmprof-clones=compiled
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("gather", "a.out").writes == [0] * 8 + [3] * 200 + [0] * 48
// EXPECT: memory("gather", "a.out").reads in (None, [0] * 256)
// EXPECT: memory("gather", "a.in").reads == [6] * 100 + [0] * 156
// EXPECT: memory("gather", "index").reads == [3] * 200 + [0] * 56
// EXPECT: memory("gather", "Table").atomics == [39] * 8 + [36] * 8
// EXPECT: memory("gather", "a.in").launches["reads"] == 3
// EXPECT: sorted(o["kind"] for o in summary["objects"] if o["bytes"] == 1024) == ["device",
//     "managed", "pinned"]
// EXPECT: kernel("gather").data["global_memory"]["outside"] == 0
// EXPECT: coverage["whole"]
#include "common.h"

__device__ int Table[16];

struct Arrays {
  int *out;
  const int *in;
};

__global__ void gather(Arrays a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a.out[i] = a.in[index[i]];
  atomicAdd(&Table[i % 16], 1);
}

int main() {
  int *Out = deviceInts(256), *In = nullptr, *Index = nullptr, *IndexHere = nullptr;
  CHECK(cudaMallocManaged(&In, 1024));
  CHECK(cudaMallocHost(&Index, 1024));
  CHECK(cudaHostGetDevicePointer(&IndexHere, Index, 0));
  for (int I = 0; I < 256; ++I) {
    In[I] = I * I;
    Index[I] = I / 2;
  }
  for (int I = 0; I < 3; ++I)
    gather<<<4, 64>>>({Out + 8, In}, IndexHere, 200);
  printResult("out", Out, 256);
  CHECK(cudaFree(Out));
  CHECK(cudaFree(In));
  CHECK(cudaFreeHost(Index));
}
