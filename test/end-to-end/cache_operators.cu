// Loads and stores with a cache operator, of all types. Each of the 32 threads loads its element
// twice and stores it into three others once. One access is one element, also of a float4.
// OPTIONS: profile=global
// EXPECT: len(summary["kernels"]) == 30
// EXPECT: memory("copy<float4>", 4 * 32 * 16).reads == [2] * 32 + [0] * 96
// EXPECT: memory("copy<float4>", 4 * 32 * 16).writes == [0] * 32 + [1] * 96
// EXPECT: memory("copy<unsigned long>", 4 * 32 * 8).reads == [2] * 32 + [0] * 96
// EXPECT: memory("copy<unsigned long>", 4 * 32 * 8).writes == [0] * 32 + [1] * 96
// EXPECT-OUTPUT: 30 types: 0 differ
#include "common.h"
#include <cstring>

constexpr int Threads = 32;

template <class T> __global__ void copy(T *data) {
  T *mine = data + threadIdx.x;
  const T value = __ldca(mine);
  __stcs(mine + Threads, value);
  __stcg(mine + 2 * Threads, __ldlu(mine));
  __stwb(mine + 3 * Threads, value);
}

static int types = 0;

template <class T> static int differ() {
  unsigned char before[4][Threads * sizeof(T)] = {}, after[4][Threads * sizeof(T)];
  for (size_t i = 0; i < sizeof(before[0]); ++i)
    before[0][i] = static_cast<unsigned char>(200 + 37 * i);
  T *data;
  CHECK(cudaMalloc(&data, sizeof(before)));
  CHECK(cudaMemcpy(data, before, sizeof(before), cudaMemcpyHostToDevice));
  copy<<<1, Threads>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(after, data, sizeof(after), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  ++types;
  int count = 0;
  for (const auto &part : after)
    count += std::memcmp(part, before[0], sizeof(part)) != 0;
  return count;
}

template <class... T> static int allDiffer() { return (differ<T>() + ...); }

int main() {
  const int count =
      allDiffer<char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                unsigned long, long long, unsigned long long, float, double>() +
      allDiffer<char2, uchar2, short2, ushort2, int2, uint2, longlong2, ulonglong2, float2,
                double2>() +
      allDiffer<char4, uchar4, short4, ushort4, int4, uint4, float4>();
  std::printf("%d types: %d differ\n", types, count);
}
