// Lanes record conditional accesses of a loop as masks of 32 iterations. The record is the same as
// that of each single access.
//
// rows: 100 iterations, of which each third, 34, reads a row of 64 words: two warps, each 4
// sectors. turns: in each of 64 iterations each fourth lane of two warps reads a word of its row: 8
// lanes that are in 4 sectors, and would have room in one. down: from iteration 69 on down, each
// second one reads the same word for all lanes, as far as 9, where the loop is left: 69, 67 ... 11
// are 30, by 40 lanes, which are two warps. The same 30 add to one place, and write to shared
// memory, a word for each lane. nested: in each of three turns, iterations 0 to 39 but for 10 to 19
// read a word that is 4 bytes before that of the iteration before, 30 for each of two warps. After
// the second turn, the kernel ends. unrolled: 4 instructions read what rows reads.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-loops=false
// OPTIONS: profile=heat
// EXPECT-SAME-HEAT:
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used)
//     for l in heat_lines("rows", "values")] == [(68, 2176, 272, 272, 8704)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used)
//     for l in heat_lines("turns", "values")] == [(128, 1024, 512, 128, 4096)]
// EXPECT: [(l.access, l.requests, l.lanes, l.sectors, l.bytes_used)
//     for l in heat_lines("down", "values")] == [("load", 60, 1200, 60, 240)]
// EXPECT: [(l.access, l.requests, l.lanes, l.sectors)
//     for l in heat_lines("down", "sums")] == [("atomic", 60, 1200, 60)]
// EXPECT: [(l.requests, l.lanes, l.wavefronts) for l in heat_lines("down", "tile")
//     if l.access == "store"] == [(60, 1200, 60)]
// EXPECT: [(l.requests, l.lanes, l.sectors) for l in heat_lines("nested", "values")]
//     == [(120, 3840, 120)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.bytes_used, l.instructions)
//     for l in heat_lines("unrolled", "values")] == [(68, 2176, 272, 8704, 4)]
// EXPECT: coverage["accesses"]["lost"] == 0
#include "common.h"

__global__ void rows(const int *__restrict__ flags, int count, const int *__restrict__ values,
                     int *__restrict__ out) {
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int I = 0; I < count; ++I)
    if (flags[I] == 0)
      Sum += values[64 * I + T];
  out[T] = Sum;
}

__global__ void turns(const int *__restrict__ flags, int count, const int *__restrict__ values,
                      int *__restrict__ out) {
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int I = 0; I < count; ++I)
    if (flags[I] == T % 4)
      Sum += values[64 * I + T];
  out[T] = Sum;
}

__global__ void down(const int *__restrict__ flags, int count, const int *__restrict__ values,
                     int *__restrict__ sums, int *__restrict__ out) {
  __shared__ volatile int tile[128];
  const int T = threadIdx.x;
  int Sum = 0;
  if (T < 40)
#pragma unroll 1
    for (int I = count - 1; I >= 0; --I) {
      const int Flag = flags[I];
      if (Flag == 2)
        break;
      if (Flag == 1) {
        Sum += values[I];
        atomicAdd(sums, 1);
        tile[T + I] = I;
      }
    }
  out[T] = Sum;
}

__global__ void nested(const int *__restrict__ flags, int count, const int *__restrict__ values,
                       int *__restrict__ out) {
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int Turn = 0; Turn < 3; ++Turn) {
#pragma unroll 1
    for (int I = 0; I < count; ++I) {
      if (flags[I] == 1)
        continue;
      Sum += values[39 - I];
    }
    if (flags[count + Turn] == 2) {
      out[T] = Sum;
      return;
    }
  }
  out[T] = -Sum;
}

__global__ void unrolled(const int *__restrict__ flags, int count, const int *__restrict__ values,
                         int *__restrict__ out) {
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 4
  for (int I = 0; I < 100; ++I)
    if (flags[I] == 0)
      Sum += values[64 * I + T];
  out[T] = Sum + count;
}

template <class Flag> static int *flagsOnDevice(int Count, Flag Of) {
  int Host[128], *Device = nullptr;
  for (int I = 0; I < Count; ++I)
    Host[I] = Of(I);
  CHECK(cudaMalloc(&Device, sizeof(int) * Count));
  CHECK(cudaMemcpy(Device, Host, sizeof(int) * Count, cudaMemcpyHostToDevice));
  return Device;
}

int main() {
  int *Out = deviceInts(64);
  const int *Thirds = flagsOnDevice(100, [](int I) { return I % 3; });
  rows<<<1, 64>>>(Thirds, 100, deviceInts(6400), Out);
  printResult("rows", Out, 64);
  turns<<<1, 64>>>(flagsOnDevice(64, [](int I) { return I % 4; }), 64, deviceInts(4096), Out);
  printResult("turns", Out, 64);
  down<<<1, 64>>>(flagsOnDevice(70, [](int I) { return I == 9 ? 2 : I % 2; }), 70, deviceInts(70),
                  deviceInts(1), Out);
  printResult("down", Out, 64);
  const auto OfNested = [](int I) { return I == 41 ? 2 : I / 10 == 1; };
  nested<<<1, 64>>>(flagsOnDevice(43, OfNested), 40, deviceInts(40), Out);
  printResult("nested", Out, 64);
  unrolled<<<1, 64>>>(Thirds, 0, deviceInts(6400), Out);
  printResult("unrolled", Out, 64);
}
