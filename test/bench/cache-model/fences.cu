//===- fences.cu - Fences and a GPU's L1 ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that hit in L1 lines they have read before, unless fences or acquiring atomics invalidate
// them. Runs like a program of programs.py: unmodified below Nsight Compute, built with
// gmprof-clang++ under --profile cache.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr unsigned Threads = 256, Words = 16;

__device__ uint32_t mixed(uint32_t X) {
  X = (X ^ X >> 16) * 0x7feb352d;
  X = (X ^ X >> 15) * 0x846ca68b;
  return X ^ X >> 16;
}

/// All blocks wait for each other; they are resident at the same time.
__device__ void meet(unsigned *Arrived, unsigned Expected) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(Arrived, 1);
    while (*static_cast<volatile unsigned *>(Arrived) < Expected)
      ;
    __threadfence();
  }
  __syncthreads();
}

/// Each block sums its own part of a constant table once a step, between which all meet.
__global__ void steps(const uint32_t *Table, unsigned *Arrived, int Steps, uint32_t *To) {
  uint32_t Sum = 0;
  const uint32_t *Own = Table + blockIdx.x * Threads * Words + threadIdx.x;
  for (int Step = 0; Step < Steps; ++Step) {
    for (unsigned W = 0; W < Words; ++W)
      Sum += Own[W * Threads] ^ Step;
    meet(Arrived, (Step + 1) * gridDim.x);
  }
  To[blockIdx.x * Threads + threadIdx.x] = Sum;
}

/// Looks words of a small table up, and puts every Every-th of them into a hash table, by
/// compare-and-swap.
__global__ void insert(const uint32_t *Table, uint32_t Mask, unsigned *Places, uint32_t PlaceMask,
                       unsigned Every) {
  const uint32_t Thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t Key = Thread;
  for (unsigned I = 0; I < 64; ++I) {
    Key = mixed(Key + Table[Key & Mask]);
    if (I % Every != Every - 1)
      continue;
    for (uint32_t At = Key & PlaceMask, Tries = 0; Tries < 4; At = (At + 1) & PlaceMask, ++Tries) {
      const unsigned There = atomicCAS(Places + At, 0U, Key | 1);
      if (There == 0 || There == (Key | 1))
        break;
    }
  }
}

/// The last block adds up the values of all blocks.
__global__ void total(const uint32_t *Values, uint32_t *Parts, unsigned *Done, uint32_t *To) {
  __shared__ uint32_t Part;
  __shared__ bool IsLast;
  if (threadIdx.x == 0)
    Part = 0;
  __syncthreads();
  for (unsigned W = 0; W < Words; ++W)
    atomicAdd(&Part, Values[(blockIdx.x * Words + W) * Threads + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    Parts[blockIdx.x] = Part;
    __threadfence();
    IsLast = atomicAdd(Done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (IsLast && threadIdx.x == 0) {
    uint32_t Sum = 0;
    for (unsigned B = 0; B < gridDim.x; ++B)
      Sum += Parts[B];
    *To = Sum;
  }
}

int main() {
  cudaDeviceProp P;
  CHECK(cudaGetDeviceProperties(&P, 0));
  const auto Blocks = static_cast<unsigned>(P.multiProcessorCount);
  const size_t Count = size_t(Blocks) * Threads * Words;
  uint32_t *Table = nullptr, *To = nullptr, *Places = nullptr;
  unsigned *Counters = nullptr;
  CHECK(cudaMalloc(&Table, Count * 4));
  CHECK(cudaMemset(Table, 0x5a, Count * 4));
  CHECK(cudaMalloc(&To, Count * 4));
  CHECK(cudaMalloc(&Places, 4 << 20));
  CHECK(cudaMemset(Places, 0, 4 << 20));
  CHECK(cudaMalloc(&Counters, 64));
  CHECK(cudaMemset(Counters, 0, 64));
  steps<<<Blocks, Threads>>>(Table, Counters, 16, To);
  CHECK(cudaDeviceSynchronize());
  for (unsigned Every : {64, 16, 4}) {
    insert<<<Blocks, Threads>>>(Table, 0x3fff, Places, (1 << 20) - 1, Every);
    CHECK(cudaDeviceSynchronize());
  }
  total<<<Blocks, Threads>>>(Table, To, Counters + 1, Counters + 2);
  CHECK(cudaDeviceSynchronize());
  uint32_t Sum = 0;
  CHECK(cudaMemcpy(&Sum, Counters + 2, 4, cudaMemcpyDeviceToHost));
  std::printf("sum %u\n", Sum);
}
