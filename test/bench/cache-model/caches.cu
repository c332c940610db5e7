//===- caches.cu - Behaviour of a GPU's caches ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with known requests, so that counters of hits show the behaviour of a cache. measure.py
// runs them below ncu: each launch of a kernel whose name begins with "t_" is one measurement, and
// this program prints their names in order.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>

constexpr size_t BufferBytes = size_t(1) << 30;
static char *Buffer, *Spoiler;
static uint32_t *Sink;

/// Loads as each operator has them; asm volatile, so that none is left out.
enum Load { Ca, Cg, Cv, Nc };
template <Load How> __device__ uint32_t load(const void *Address) {
  uint32_t Value;
  if (How == Ca)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(Value) : "l"(Address) : "memory");
  else if (How == Cg)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(Value) : "l"(Address) : "memory");
  else if (How == Cv)
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(Value) : "l"(Address) : "memory");
  else
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(Value) : "l"(Address) : "memory");
  return Value;
}

/// One warp reads Lines lines, Stride bytes apart, Passes times; the first Lanes lanes' words
/// of each.
template <Load How>
__global__ void t_sweep(const char *From, uint32_t Lines, uint32_t Stride, uint32_t Passes,
                        uint32_t Lanes, uint32_t *To) {
  uint32_t Sum = 0;
  for (uint32_t P = 0; P < Passes; ++P)
    for (uint32_t I = 0; I < Lines; ++I)
      if (threadIdx.x < Lanes)
        Sum += load<How>(From + size_t(I) * Stride + threadIdx.x * 4);
  if (Sum == 12345)
    *To = Sum;
}

/// Pseudo-random lines of Lines, Count times.
__global__ void t_random(const char *From, uint32_t Lines, uint32_t Count, uint32_t *To) {
  extern __shared__ uint32_t Shared[]; // its size determines the size of L1
  uint32_t Sum = 0, State = 1;
  for (uint32_t I = 0; I < Count; ++I) {
    State = State * 1664525 + 1013904223;
    Sum += load<Ca>(From + size_t((State >> 8) % Lines) * 128 + threadIdx.x * 4);
  }
  if (Sum == 12345)
    *To = Sum;
}

/// Kinds of a first and a second access to the same lines: L load, S store, P store by lane 0
/// alone, p load by lane 0 alone, A atomic, R reduction, of 64 lines. Between them, once: F, f, K
/// and C fences of the GPU (acquire and release, sequentially consistent), of the cluster and of
/// the block; Q and c loads of the last word with acquire, of the GPU and of the block, q an atomic
/// with acquire, r a store with release; B and b barriers of the block and of the cluster.
struct Sequence {
  char Kinds[8];
};
__global__ void t_sequence(char *At, Sequence What, uint32_t *To) {
  uint32_t Sum = 0;
  for (const char *W = What.Kinds; *W; ++W) {
    uint32_t Word = 0;
    char *Last = At + 64 * 128;
    if (*W == 'F')
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    else if (*W == 'f')
      asm volatile("fence.sc.gpu;" ::: "memory");
    else if (*W == 'C')
      asm volatile("fence.acq_rel.cta;" ::: "memory");
    else if (*W == 'Q')
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(Word) : "l"(Last) : "memory");
    else if (*W == 'q')
      asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 0;"
                   : "=r"(Word)
                   : "l"(Last)
                   : "memory");
    else if (*W == 'K')
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
    else if (*W == 'c')
      asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(Word) : "l"(Last) : "memory");
    else if (*W == 'r')
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(Last), "r"(0) : "memory");
    else if (*W == 'B')
      __syncthreads();
    else if (*W == 'b')
      asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    Sum += Word;
    for (uint32_t I = 0; I < 64; ++I) {
      char *Address = At + I * 128 + threadIdx.x * 4;
      if (*W == 'L')
        Sum += load<Ca>(Address);
      else if (*W == 'S')
        asm volatile("st.global.u32 [%0], %1;" ::"l"(Address), "r"(I) : "memory");
      else if (*W == 'A')
        Sum += atomicAdd(reinterpret_cast<uint32_t *>(Address), Sum & 1);
      else if (*W == 'R')
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(Address), "r"(1) : "memory");
      else if (threadIdx.x == 0 && *W == 'P')
        asm volatile("st.global.u32 [%0], %1;" ::"l"(Address), "r"(I) : "memory");
      else if (threadIdx.x == 0 && *W == 'p')
        Sum += load<Ca>(Address);
    }
  }
  if (Sum == 12345)
    *To = Sum;
}

/// 64 requests of one warp, each lane Bytes at Lane % Period * Stride.
template <typename T>
__global__ void t_wide(const char *From, uint32_t Period, uint32_t Stride, uint32_t *To) {
  uint32_t Sum = 0;
  for (uint32_t I = 0; I < 64; ++I) {
    const T Value =
        *reinterpret_cast<const volatile T *>(From + I * 4096 + threadIdx.x % Period * Stride);
    Sum += static_cast<uint32_t>(Value);
  }
  if (Sum == 12345)
    *To = Sum;
}
__global__ void t_wide16(const char *From, uint32_t Period, uint32_t Stride, uint32_t *To) {
  uint32_t Sum = 0;
  for (uint32_t I = 0; I < 64; ++I) {
    uint32_t X, Y, Z, W;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(X), "=r"(Y), "=r"(Z), "=r"(W)
                 : "l"(From + I * 4096 + threadIdx.x % Period * Stride));
    Sum += X + Y + Z + W;
  }
  if (Sum == 12345)
    *To = Sum;
}

/// Each SM reads or writes its own part of Bytes, or the part of the SM whose number is Shift
/// higher, bypassing L1. One block per SM. Lanes: accessed words of each line.
__global__ void t_l2(char *At, size_t Bytes, uint32_t Shift, uint32_t Lanes, uint32_t Step,
                     bool Write, uint32_t *To) {
  uint32_t Sm, Sms;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(Sm));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(Sms));
  Sm = (Sm + Shift) % gridDim.x;
  const size_t Lines = Bytes / 128;
  uint32_t Sum = 0;
  const uint32_t Lane = threadIdx.x % 32, Warp = threadIdx.x / 32, Warps = blockDim.x / 32;
  for (size_t L = Sm + size_t(Warp) * gridDim.x; L < Lines; L += size_t(Warps) * gridDim.x)
    if (Lane < Lanes) {
      char *Address = At + L * 128 + Lane * Step;
      if (Write)
        asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(Address), "r"(Sm) : "memory");
      else
        Sum += load<Cg>(Address);
    }
  if (Sum == 12345)
    *To = Sum;
}

/// SM Reader reads or writes Lines lines, bypassing L1.
__global__ void t_partition(char *At, uint32_t Lines, uint32_t Reader, bool Write, uint32_t *To) {
  uint32_t Sm, Sum = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(Sm));
  if (Sm != Reader)
    return;
  for (uint32_t L = threadIdx.x / 32; L < Lines; L += blockDim.x / 32) {
    char *Address = At + size_t(L) * 128 + threadIdx.x % 32 * 4;
    if (Write)
      asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(Address), "r"(Sm) : "memory");
    else
      Sum += load<Cg>(Address);
  }
  if (Sum == 12345)
    *To = Sum;
}

/// Each thread writes words of its own memory, then reads them; or with a fence between.
template <bool Fences = false> __global__ void t_local(uint32_t Words, uint32_t *To) {
  volatile uint32_t Own[64];
  for (uint32_t I = 0; I < Words; ++I)
    Own[I] = I;
  if (Fences)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  uint32_t Sum = 0;
  for (uint32_t I = 0; I < Words; ++I)
    Sum += Own[I];
  if (Sum == 12345)
    *To = Sum;
}

__global__ void spoil(uint4 *At, size_t Count) {
  for (size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x; I < Count;
       I += size_t(gridDim.x) * blockDim.x)
    At[I] = make_uint4(1, 2, 3, 4);
}

/// Fills L2 with other lines that have been read, so that it holds nothing of Buffer and few dirty
/// lines.
__global__ void spoilRead(const uint4 *At, size_t Count, uint32_t *To) {
  uint32_t Sum = 0;
  for (size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x; I < Count;
       I += size_t(gridDim.x) * blockDim.x)
    Sum += At[I].x;
  if (Sum == 12345)
    *To = Sum;
}
static void coldL2() {
  spoilRead<<<1024, 256>>>(reinterpret_cast<uint4 *>(Spoiler), BufferBytes / 16, Sink);
  CHECK(cudaDeviceSynchronize());
}

static void done(const std::string &Name) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::printf("measured %s\n", Name.c_str());
}

template <typename Kernel> static void mostL1(Kernel K) {
  CHECK(cudaFuncSetAttribute(K, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1));
}

int main() {
  cudaDeviceProp P;
  CHECK(cudaGetDeviceProperties(&P, 0));
  size_t Granularity = 0;
  CHECK(cudaDeviceGetLimit(&Granularity, cudaLimitMaxL2FetchGranularity));
  std::printf("device %s sms %d l2 %d fetch %zu persisting %d\n", P.name, P.multiProcessorCount,
              P.l2CacheSize, Granularity, P.persistingL2CacheMaxSize);
  const unsigned Sms = static_cast<unsigned>(P.multiProcessorCount);
  CHECK(cudaMalloc(&Buffer, BufferBytes));
  CHECK(cudaMalloc(&Spoiler, BufferBytes));
  CHECK(cudaMalloc(&Sink, 4));
  spoil<<<1024, 256>>>(reinterpret_cast<uint4 *>(Buffer), BufferBytes / 16);
  CHECK(cudaDeviceSynchronize());
  mostL1(t_sweep<Ca>);
  mostL1(t_random);

  // L1: a loop over so many lines of 128 bytes, four times.
  for (uint32_t Kb : {128, 176, 192, 200, 208, 216, 220, 224, 228, 232, 236, 240, 244, 248, 252,
                      256, 272, 320, 512}) {
    t_sweep<Ca><<<1, 32>>>(Buffer, Kb * 8, 128, 4, 32, Sink);
    done("sweep kb " + std::to_string(Kb));
  }
  // A sector of each line: whether lines or sectors fill it.
  for (uint32_t Lines : {1024, 1536, 1800, 1900, 2000, 2048, 3000, 4096}) {
    t_sweep<Ca><<<1, 32>>>(Buffer, Lines, 128, 4, 8, Sink);
    done("sector lines " + std::to_string(Lines));
  }
  // Lines further apart: whether there are sets.
  for (uint32_t Stride : {256, 512, 1024, 2048, 4096, 8192, 65536})
    for (uint32_t Lines : {256, 448, 896, 1600}) {
      t_sweep<Ca><<<1, 32>>>(Buffer, Lines, Stride, 4, 32, Sink);
      done("stride " + std::to_string(Stride) + " lines " + std::to_string(Lines));
    }
  for (uint32_t Lines : {1500, 1900, 2200, 3000, 4000, 8000}) {
    t_random<<<1, 32>>>(Buffer, Lines, 65536, Sink);
    done("random lines " + std::to_string(Lines));
  }
  for (const char *What :
       {"LL", "SL",  "SS",  "LS",  "PL",  "Pp",  "PP",  "LA",  "LAL", "AL",  "AA",  "LRL", "RR",
        "SA", "LPL", "LSL", "LFL", "LfL", "LCL", "LQL", "LqL", "LBL", "LKL", "LcL", "LrL", "LbL"}) {
    Sequence Kinds = {};
    std::snprintf(Kinds.Kinds, sizeof(Kinds.Kinds), "%s", What);
    t_sequence<<<1, 32>>>(Buffer, Kinds, Sink);
    done(std::string("sequence ") + What);
  }
  // The same for two blocks of a cluster.
  for (const char *What : {"LL", "LbL"}) {
    Sequence Kinds = {};
    std::snprintf(Kinds.Kinds, sizeof(Kinds.Kinds), "%s", What);
    cudaLaunchAttribute Cluster = {};
    Cluster.id = cudaLaunchAttributeClusterDimension;
    Cluster.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t Config = {};
    Config.gridDim = 2;
    Config.blockDim = 32;
    Config.attrs = &Cluster;
    Config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&Config, t_sequence, Buffer, Kinds, Sink));
    done(std::string("cluster sequence ") + What);
  }
  // Size of L1 beside shared memory: lines / 4000 of the accesses hit.
  CHECK(cudaFuncSetAttribute(t_random, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  CHECK(cudaFuncSetAttribute(t_random, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutDefault));
  for (uint32_t Kb : {0, 1, 7, 8, 15, 31, 63, 99, 131, 163, 195, 227}) {
    t_random<<<1, 32, Kb << 10>>>(Buffer, 4000, 65536, Sink);
    done("shared kb " + std::to_string(Kb));
  }
  for (uint32_t Percent : {0, 25, 50, 100}) {
    CHECK(cudaFuncSetAttribute(t_random, cudaFuncAttributePreferredSharedMemoryCarveout,
                               static_cast<int>(Percent)));
    t_random<<<1, 32>>>(Buffer, 4000, 65536, Sink);
    done("carveout percent " + std::to_string(Percent));
  }
  for (uint32_t Words : {16, 64}) {
    t_local<><<<1, 256>>>(Words, Sink);
    done("local words " + std::to_string(Words));
  }
  t_local<><<<1, 1024>>>(64, Sink);
  done("local words 64 threads 1024");
  t_local<true><<<1, 256>>>(64, Sink);
  done("local words 64 fence");
  t_sweep<Cg><<<1, 32>>>(Buffer, 64, 128, 4, 32, Sink);
  done("operator cg");
  t_sweep<Cv><<<1, 32>>>(Buffer, 64, 128, 4, 32, Sink);
  done("operator cv");
  t_sweep<Nc><<<1, 32>>>(Buffer, 64, 128, 4, 32, Sink);
  done("operator nc");
  for (uint32_t Period : {1, 2, 8, 16, 32}) {
    t_wide<uint64_t><<<1, 32>>>(Buffer, Period, 8, Sink);
    done("wide 8 period " + std::to_string(Period));
    t_wide16<<<1, 32>>>(Buffer, Period, 16, Sink);
    done("wide 16 period " + std::to_string(Period));
  }
  t_wide<uint64_t><<<1, 32>>>(Buffer, 32, 32, Sink);
  done("wide 8 stride 32");
  t_wide<uint32_t><<<1, 32>>>(Buffer, 32, 128, Sink);
  done("wide 4 stride 128");

  // L2: read twice by the same SMs, then by others.
  for (size_t Mb : {8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80}) {
    coldL2();
    t_l2<<<Sms, 1024>>>(Buffer, Mb << 20, 0, 32, 4, false, Sink);
    done("l2 cold mb " + std::to_string(Mb));
    t_l2<<<Sms, 1024>>>(Buffer, Mb << 20, 0, 32, 4, false, Sink);
    done("l2 again mb " + std::to_string(Mb));
    if (Mb == 16)
      for (uint32_t Shift : {1, 2, 3, 16, 66}) {
        t_l2<<<Sms, 1024>>>(Buffer, Mb << 20, Shift, 32, 4, false, Sink);
        done("l2 shift " + std::to_string(Shift) + " mb " + std::to_string(Mb));
      }
  }
  // One sector of each line, then another one: shows the size of DRAM reads, and what hits.
  coldL2();
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 8, 4, false, Sink);
  done("l2 first sector");
  t_l2<<<Sms, 1024>>>(Buffer + 32, 16 << 20, 0, 8, 4, false, Sink);
  done("l2 second sector");
  t_l2<<<Sms, 1024>>>(Buffer + 64, 16 << 20, 0, 8, 4, false, Sink);
  done("l2 third sector");
  // Writes: whole sectors, then a word of each.
  coldL2();
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 32, 4, true, Sink);
  done("l2 write whole");
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 32, 4, false, Sink);
  done("l2 read after write");
  coldL2();
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 4, 32, true, Sink);
  done("l2 write a word");
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 32, 4, false, Sink);
  done("l2 read after a word");
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 0, 32, 4, true, Sink);
  done("l2 write after read");
  t_l2<<<Sms, 1024>>>(Buffer, 16 << 20, 66, 32, 4, true, Sink);
  done("l2 write of others");

  // SMs in SM 0's partition hit lines that SM 0 has read without a request to the other partition.
  for (uint32_t Sm = 1; Sm < Sms; ++Sm) {
    coldL2();
    t_partition<<<Sms, 1024>>>(Buffer, 8192, 0, false, Sink);
    done("partition first of " + std::to_string(Sm));
    t_partition<<<Sms, 1024>>>(Buffer, 8192, Sm, false, Sink);
    done("partition of " + std::to_string(Sm));
    if (Sm % 16 != 1)
      continue;
    t_partition<<<Sms, 1024>>>(Buffer, 8192, 0, true, Sink);
    done("partition write of 0 after " + std::to_string(Sm));
    t_partition<<<Sms, 1024>>>(Buffer, 8192, Sm, false, Sink);
    done("partition read after write of " + std::to_string(Sm));
    t_partition<<<Sms, 1024>>>(Buffer, 8192, 0, false, Sink);
    done("partition read by writer after " + std::to_string(Sm));
  }
}
