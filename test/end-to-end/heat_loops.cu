// Accesses with a constant stride, whose start and number depend on data, are recorded before the
// loop. The record is the same as that of each single access.
//
// ragged: row L of lane L begins at word 8 L and has L % 4 words. In iterations 0, 1 and 2 there
// are 24, 16 and 8 lanes, each in a sector of its own. Two warps.
// back: all lanes of two warps read the same 5 words of a tile, from the last on, and the same 700
// bytes, from the last to the first, behind a condition that all fulfil.
// four: each lane of two warps reads four words, 16 bytes from those of its neighbours: 4 requests
// of 16 sectors, which are one place of the source and four instructions.
// pair: all lanes of two warps read the same 700 words of each of two arrays, in one loop.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-loops=false
// OPTIONS: profile=heat
// EXPECT-SAME-HEAT:
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used)
//     for l in heat_lines("ragged", "values")] == [(6, 96, 96, 12, 384)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.bytes_used) for l in heat_lines("back", "bytes")]
//     == [(1400, 44800, 1400, 1400)]
// EXPECT: [(l.requests, l.lanes, l.wavefronts) for l in heat_lines("back", "tile")
//     if l.access == "load"] == [(10, 320, 10)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.instructions) for l in heat_lines("four", "table")]
//     == [(8, 256, 128, 4)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.bytes_used)
//     for l in heat_lines("pair", "left") + heat_lines("pair", "right")]
//     == 2 * [(1400, 44800, 1400, 5600)]
// EXPECT: coverage["accesses"]["lost"] == 0
#include "common.h"

__global__ void ragged(const int *first, const int *values, int *out) {
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int I = first[2 * T]; I < first[2 * T + 1]; ++I)
    Sum += values[I];
  out[T] = Sum;
}

__global__ void back(const int *counts, const volatile unsigned char *bytes, int *out) {
  __shared__ volatile int tile[64];
  const int T = threadIdx.x;
  tile[T] = T;
  __syncthreads();
  int Sum = 0;
#pragma unroll 1
  for (int I = 0; I < counts[0]; ++I)
    Sum += tile[63 - I];
  if (counts[1] > 0)
#pragma unroll 1
    for (int I = counts[1]; I != 0; --I)
      Sum += bytes[I - 1];
  out[T] = Sum;
}

__global__ void four(const volatile int *order, const volatile int *table, int *out) {
  const int T = threadIdx.x, Row = order[T];
  int Sum = 0;
#pragma unroll
  for (int I = 0; I < 4; ++I)
    Sum += table[4 * Row + I];
  out[T] = Sum;
}

__global__ void pair(const int *count, const volatile int *left, const volatile int *right,
                     int *out) {
  int Sum = 0;
#pragma unroll 1
  for (int I = 0; I < count[0]; ++I)
    Sum += left[I] + right[I];
  out[threadIdx.x] = Sum;
}

template <int N> static int *onDevice(const int (&Host)[N]) {
  int *Device = nullptr;
  CHECK(cudaMalloc(&Device, sizeof(Host)));
  CHECK(cudaMemcpy(Device, Host, sizeof(Host), cudaMemcpyHostToDevice));
  return Device;
}

int main() {
  int First[128];
  for (int T = 0; T < 64; ++T) {
    First[2 * T] = 8 * T;
    First[2 * T + 1] = 8 * T + T % 4;
  }
  int *Out = deviceInts(64);
  ragged<<<1, 64>>>(onDevice(First), deviceInts(512), Out);
  printResult("ragged", Out, 64);
  back<<<1, 64>>>(onDevice({5, 700}), reinterpret_cast<unsigned char *>(deviceInts(175)), Out);
  printResult("back", Out, 64);
  four<<<1, 64>>>(deviceInts(65), deviceInts(256), Out);
  printResult("four", Out, 64);
  pair<<<1, 64>>>(onDevice({700}), deviceInts(700), deviceInts(700), Out);
  printResult("pair", Out, 64);
}
