// Temperatures of words accessed in pieces of 1 to 20 bytes, by two warps, the second one with 16
// threads. Thread t's piece is number t; an atomic operation's is number t / 2. Pieces of 7 bytes
// begin at byte 1: word 56 has bytes 224, of warp 0, and 225 to 227, of warp 1. A thread's access
// counts in each word it touches: a piece of 7 bytes in 2 words, or in 3 if it begins with the last
// byte of one (7 t + 1 is 3 modulo 4, so t is 2 modulo 4).
// BUILD: -O2 -g
// BUILD: -O2
// BUILD: -O0
// OPTIONS: profile=heat
// EXPECT: heat("bytes", 48, by="writes").words == [1] * 12
// EXPECT: heat("bytes", 48, by="writes").accesses == 48
// EXPECT: heat("bytes", 48, by="reads").accesses == 0
// EXPECT: heat("halves", 96).sectors == [1] * 3
// EXPECT: heat("halves", 96, by="reads").accesses == 48
// EXPECT: heat("halves", 96, by="writes").accesses == 48
// EXPECT: heat("pairs", 100, by="atomics").words == [1] * 24 + [0]
// EXPECT: heat("pairs", 100, by="atomics").accesses == 48
// EXPECT: heat("pairs", 100).accesses == 48
// EXPECT: heat("longs", 384, by="writes").words == [1] * 96
// EXPECT: heat("longs", 384, by="writes").accesses == 48 * 2
// EXPECT: heat("vectors", 768).words == [1] * 192
// EXPECT: heat("vectors", 768, by="reads").accesses == 48 * 4
// EXPECT: heat("copies", 960, by="reads").words == [1] * 240
// EXPECT: heat("copies", 964, by="writes").words == [1] * 240 + [0]
// EXPECT: heat("copies", 964, by="writes").accesses == 48 * 5
// EXPECT: heat("odd", 344).words == [2 if w == 56 else 1 for w in range(85)] + [0]
// EXPECT: heat("odd", 344).sectors == [2 if s == 7 else 1 for s in range(11)]
// EXPECT: coverage["launches"]["profiled"] == 7 and coverage["accesses"]["lost"] == 0
#include "common.h"

constexpr int Threads = 48;

struct Words {
  int v[5];
};
struct Odd {
  char v[7];
};

__global__ void bytes(char *p) { p[threadIdx.x] = 1; }
__global__ void halves(short *p) { p[threadIdx.x] = p[threadIdx.x] + 1; }
__global__ void pairs(int *p) { atomicAdd(&p[threadIdx.x / 2], 1); }
__global__ void longs(long long *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void vectors(int4 *p) {
  const int4 V = p[threadIdx.x];
  p[threadIdx.x] = make_int4(V.w, V.z, V.y, V.x);
}
__global__ void copies(const Words *in, Words *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void odd(char *p) {
  Odd *To = (Odd *)(p + 1);
  for (int I = 0; I < 7; ++I)
    To[threadIdx.x].v[I] = char(I);
}

/// An object that no other is as large as.
static int *ints(size_t Bytes) {
  int *Data = nullptr;
  CHECK(cudaMalloc(&Data, Bytes));
  CHECK(cudaMemset(Data, 0, Bytes));
  return Data;
}

int main() {
  int *Bytes = ints(48), *Halves = ints(96), *Pairs = ints(100), *Longs = ints(384),
      *Vectors = ints(768), *In = ints(960), *Out = ints(964), *Unaligned = ints(344);
  bytes<<<1, Threads>>>((char *)Bytes);
  halves<<<1, Threads>>>((short *)Halves);
  pairs<<<1, Threads>>>(Pairs);
  longs<<<1, Threads>>>((long long *)Longs);
  vectors<<<1, Threads>>>((int4 *)Vectors);
  copies<<<1, Threads>>>((Words *)In, (Words *)Out);
  odd<<<1, Threads>>>((char *)Unaligned);
  printResult("bytes", Bytes, 12);
  printResult("halves", Halves, 24);
  printResult("pairs", Pairs, 24);
  printResult("longs", Longs, 96);
  printResult("odd", Unaligned, 86);
}
