// Sweeps of unrolled loops count like the original loop, and adjacent accesses like one access of
// all their bytes: the counts of elements are the same. Functions that get only shared memory count
// no global memory.
// BUILD: -O3 -g
// BUILD: -O1 -g
// OPTIONS: profile=global
// EXPECT: memory("rows", "bytes").reads[:64] == [8, 0] * 32
// EXPECT: memory("rows", "begin").reads[:128] == [1] * 128
// EXPECT: memory("quads", "table").reads[:16] == [32, 32, 32, 32] + [96] * 4 + [0] * 8
// EXPECT: memory("quads", "index").reads[:128] == [1] * 128
#include "common.h"

__device__ __noinline__ int total(const int *values, int count) {
  int Sum = 0;
  for (int I = 0; I < count; ++I)
    Sum += values[I];
  return Sum;
}

// Reads every second group of four bytes, by two threads; `begin` holds a thread's row.
__global__ void rows(const unsigned char *bytes, const int *begin, int *out) {
  __shared__ int sums[128];
  int Sum = 0, Row = begin[threadIdx.x];
  if (Row >= 0)
#pragma unroll 4
    for (int I = 0; I < 4; ++I)
      Sum += bytes[Row + I];
  sums[threadIdx.x] = Sum;
  __syncthreads();
  out[threadIdx.x] = total(sums, threadIdx.x);
}

__global__ void quads(const float *table, const int *index, float *out) {
  const int At = index[threadIdx.x] < 0 ? 0 : 4;
  out[threadIdx.x] = table[At] + table[At + 1] * table[At + 2] - table[At + 3];
}

__global__ void begin(int *index) {
  const int T = threadIdx.x;
  index[T] = T < 64 ? T % 32 * 8 : -1;
}
__global__ void signs(int *index) { index[threadIdx.x] = threadIdx.x % 4 == 0 ? -1 : 1; }

int main() {
  int *Index = deviceInts(128), *Out = deviceInts(128), *Table = deviceInts(16);
  int *Bytes = deviceInts(64);
  begin<<<1, 128>>>(Index);
  rows<<<1, 128>>>(reinterpret_cast<unsigned char *>(Bytes), Index, Out);
  printResult("out", Out, 128);
  signs<<<1, 128>>>(Index);
  quads<<<1, 128>>>(reinterpret_cast<float *>(Table), Index, reinterpret_cast<float *>(Out));
  printResult("out", Out, 128);
}
