// Loops over bytes whose bounds are data, so that each thread counts all iterations of its
// loop together. Byte counters count words of four elements: a word has the accesses of
// all four.
//
// same: 32 threads read bytes 0 to 61: fifteen whole words, and half of one.
// odd: thread t reads every third byte from 16 * t on, five of them: 0, 3, 6, 9 and 12,
// in words 0 0 1 2 3.
// down: 32 threads read bytes 63 to 32.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: memory("same", "bytes").reads == [4 * 32] * 15 + [2 * 32] + [0] * 112
// EXPECT: memory("odd", "bytes").reads == [2, 1, 1, 1] * 32
// EXPECT: memory("down", "bytes").reads == [0] * 8 + [4 * 32] * 8 + [0] * 112
// EXPECT: {s["rule"] for s in memory("same", "bytes").use["sites"]} == {"sweep"}
// EXPECT: {s["rule"] for s in memory("odd", "bytes").use["sites"]} == {"sweep"}
// EXPECT: {s["rule"] for s in memory("down", "bytes").use["sites"]} == {"sweep"}
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void same(const unsigned char *bytes, const int *count, int *out) {
  int Sum = 0, End = *count * 62;
#pragma unroll 1
  for (int I = 0; I < End; ++I)
    Sum += bytes[I];
  out[threadIdx.x] = Sum;
}

__global__ void odd(const unsigned char *bytes, const int *count, int *out) {
  int Sum = 0, End = *count * 5;
#pragma unroll 1
  for (int I = 0; I < End; ++I)
    Sum += bytes[16 * threadIdx.x + 3 * I];
  out[threadIdx.x] = Sum;
}

__global__ void down(const unsigned char *bytes, const int *count, int *out) {
  int Sum = 0, End = *count * 32;
#pragma unroll 1
  for (int I = 0; I < End; ++I)
    Sum += bytes[63 - I];
  out[threadIdx.x] = Sum;
}

int main() {
  unsigned char Host[512], *Bytes;
  for (int I = 0; I < 512; ++I)
    Host[I] = I % 7;
  cudaMalloc(&Bytes, sizeof(Host));
  cudaMemcpy(Bytes, Host, sizeof(Host), cudaMemcpyHostToDevice);
  int One = 1, *Count = deviceInts(1), *Out = deviceInts(32);
  cudaMemcpy(Count, &One, sizeof(One), cudaMemcpyHostToDevice);
  same<<<1, 32>>>(Bytes, Count, Out);
  printResult("same", Out, 32);
  odd<<<1, 32>>>(Bytes, Count, Out);
  printResult("odd", Out, 32);
  down<<<1, 32>>>(Bytes, Count, Out);
  printResult("down", Out, 32);
  cudaFree(Bytes);
}
