// Does one operation N times, to measure the cost of each:
//
//   scaling accesses N    one launch that reads N words at addresses that data determine
//   scaling launches N    N launches of a kernel that does next to nothing
//   scaling objects N     N allocations of 256 bytes that live at the same time, each of them set
//   scaling touched N     N GiB written by a kernel, then read at addresses that data determine
//
// Prints "time WHAT MILLISECONDS" (of the kernel for accesses, else of the host) and a
// result that does not depend on how it is run.
#include "../../examples/example.h"
#include <chrono>
#include <cstring>
#include <functional>

constexpr unsigned Threads = 256;

/// The I-th of addresses that look random: a bijection of 32 bits.
__host__ __device__ static uint32_t scattered(uint32_t I) {
  I = (I ^ (I >> 16)) * 0x7feb352du;
  I = (I ^ (I >> 15)) * 0x846ca68bu;
  return I ^ (I >> 16);
}

__global__ void fillIndices(uint32_t *Indices, uint32_t Size) {
  const uint32_t I = blockIdx.x * Threads + threadIdx.x;
  if (I < Size)
    Indices[I] = scattered(I) & (Size - 1);
}

/// Each index is read, and the word that it names.
__global__ void gather(const uint32_t *Data, const uint32_t *Indices, unsigned long long *Sum,
                       uint64_t Reads, uint32_t Size) {
  unsigned long long Mine = 0;
  const uint64_t Stride = uint64_t(gridDim.x) * Threads;
  for (uint64_t I = blockIdx.x * uint64_t(Threads) + threadIdx.x; I < Reads; I += Stride)
    Mine += Data[Indices[I & (Size - 1)]];
  atomicAdd(Sum, Mine);
}

__global__ void touch(uint32_t *Data) { Data[threadIdx.x] += 1; }

__global__ void fill(uint64_t *Data, uint64_t Words) {
  const uint64_t Stride = uint64_t(gridDim.x) * Threads;
  for (uint64_t I = blockIdx.x * uint64_t(Threads) + threadIdx.x; I < Words; I += Stride)
    Data[I] = I + Stride;
}

/// Follows what fill left, so that only the data say where each read is.
__global__ void follow(const uint64_t *Data, unsigned long long *Reads, uint64_t Words) {
  unsigned long long Mine = 0;
  uint64_t I = blockIdx.x * uint64_t(Threads) + threadIdx.x;
  for (; I < Words; I = Data[I])
    ++Mine;
  atomicAdd(Reads, Mine);
}

static double hostMilliseconds(const std::function<void()> &Do) {
  const auto Begin = std::chrono::steady_clock::now();
  Do();
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Begin)
      .count();
}

static void accesses(uint64_t Count) {
  constexpr uint32_t Size = 1 << 24;
  constexpr unsigned Blocks = 132 * 8;
  DeviceArray<uint32_t> Data(Size), Indices(Size);
  DeviceArray<unsigned long long> Sum(1);
  CHECK(cudaMemset(Data, 1, Size * sizeof(uint32_t)));
  CHECK(cudaMemset(Sum, 0, sizeof(unsigned long long)));
  fillIndices<<<Size / Threads, Threads>>>(Indices, Size);
  launch("accesses", [&] { gather<<<Blocks, Threads>>>(Data, Indices, Sum, Count, Size); });
}

static void launches(uint64_t Count) {
  DeviceArray<uint32_t> Data(Threads);
  CHECK(cudaMemset(Data, 0, Threads * sizeof(uint32_t)));
  const double Time = hostMilliseconds([&] {
    for (uint64_t I = 0; I < Count; ++I)
      touch<<<1, Threads>>>(Data);
  });
  CHECK(cudaGetLastError());
  std::printf("time launches %.5f\nlaunches: %u\n", Time, Data.download()[0]);
}

static void objects(uint64_t Count) {
  std::vector<void *> All(Count);
  const double Time = hostMilliseconds([&] {
    for (void *&Each : All) {
      CHECK(cudaMalloc(&Each, 256));
      CHECK(cudaMemsetAsync(Each, 0, 256));
    }
    for (void *Each : All)
      CHECK(cudaFree(Each));
  });
  std::printf("time objects %.5f\nobjects: %zu\n", Time, All.size());
}

static void touched(uint64_t GiB) {
  constexpr unsigned Blocks = 132 * 8;
  const uint64_t Words = GiB << 27;
  DeviceArray<uint64_t> Data(Words);
  DeviceArray<unsigned long long> Reads(1);
  CHECK(cudaMemset(Reads, 0, sizeof(unsigned long long)));
  const double Time = hostMilliseconds([&] {
    fill<<<Blocks, Threads>>>(Data, Words);
    follow<<<Blocks, Threads>>>(Data, Reads, Words);
  });
  CHECK(cudaGetLastError());
  std::printf("time touched %.5f\ntouched: %llu words\n", Time, Reads.download()[0]);
}

int main(int argc, char **argv) {
  const std::string What = argc == 3 ? argv[1] : "";
  const uint64_t Count = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  CHECK(cudaFree(nullptr));
  if (What == "accesses")
    accesses(Count);
  else if (What == "launches")
    launches(Count);
  else if (What == "objects")
    objects(Count);
  else if (What == "touched")
    touched(Count);
  else {
    std::fprintf(stderr, "usage: scaling accesses|launches|objects|touched N\n");
    return 2;
  }
  return 0;
}
