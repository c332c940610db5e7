//===- bulk.cu - Cache requests of bulk copies ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies (cp.async.bulk, sm_90) of known sizes, one launch for each size and place, so that
// counters of L2's sectors show the requests of a copy. Runs like a program of programs.py:
// unmodified below Nsight Compute, built with gmprof-clang++ under --profile cache.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#ifdef __CUDA_ARCH__
#define PTX(...) asm volatile(__VA_ARGS__)
#else
#define PTX(...) (void)0
#endif

constexpr uint32_t Copies = 64; // of a launch, or of each of its passes
constexpr uint32_t MostBytes = 8192;

__device__ inline uint32_t sharedAddress(const void *P) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(P));
}

/// One thread copies Bytes bytes into shared memory for each of Copies places that lie Stride bytes
/// apart, Passes times.
__global__ void bulkIn(const char *From, uint32_t Bytes, uint32_t Stride, uint32_t Passes) {
  __shared__ alignas(128) char Tile[MostBytes];
  __shared__ uint64_t Barrier;
  [[maybe_unused]] const uint32_t To = sharedAddress(Tile), At = sharedAddress(&Barrier);
  PTX("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(At) : "memory");
  PTX("fence.mbarrier_init.release.cluster;" :: : "memory");
  for (uint32_t I = 0; I < Passes * Copies; ++I) {
    [[maybe_unused]] const char *Place = From + size_t(I % Copies) * Stride;
    PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(At), "r"(Bytes) : "memory");
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(To),
        "l"(__cvta_generic_to_global(Place)), "r"(Bytes), "r"(At) : "memory");
    PTX("{ .reg .pred P; again: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1; @!P bra "
        "again; }" ::"r"(At),
        "r"(I % 2) : "memory");
  }
}

/// Copies in the other direction, or adds to the destination.
template <bool Add> __global__ void bulkOut(char *To, uint32_t Bytes, uint32_t Stride) {
  __shared__ alignas(128) char Tile[MostBytes];
  for (uint32_t I = 0; I < Bytes; I += 4)
    *reinterpret_cast<uint32_t *>(Tile + I) = 0;
  PTX("fence.proxy.async.shared::cta;" :: : "memory");
  for (uint32_t I = 0; I < Copies; ++I) {
    [[maybe_unused]] char *Place = To + size_t(I) * Stride;
    if constexpr (Add)
      PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
              __cvta_generic_to_global(Place)),
          "r"(sharedAddress(Tile)), "r"(Bytes) : "memory");
    else
      PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
              __cvta_generic_to_global(Place)),
          "r"(sharedAddress(Tile)), "r"(Bytes) : "memory");
  }
  PTX("cp.async.bulk.commit_group;" :: : "memory");
  PTX("cp.async.bulk.wait_group 0;" :: : "memory");
}

/// One thread loads a word of each of Copies lines through L1, makes an operation on these lines,
/// and loads them again: hits of the second load show the lines that the operation kept in L1.
enum class Between { Nothing, In, Out, Add, Wait };
template <Between What> __global__ void loadAround(char *At, uint32_t *Sum) {
  __shared__ alignas(128) char Tile[128];
  __shared__ uint64_t Barrier;
  [[maybe_unused]] const uint32_t Here = sharedAddress(Tile), Done = sharedAddress(&Barrier);
  PTX("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(Done) : "memory");
  PTX("fence.mbarrier_init.release.cluster;" :: : "memory");
  for (uint32_t I = 0; I < sizeof(Tile); I += 4)
    *reinterpret_cast<uint32_t *>(Tile + I) = 0;
  PTX("fence.proxy.async.shared::cta;" :: : "memory");
  uint32_t Words = 0;
  for (int Pass = 0; Pass < 2; ++Pass) {
    for (uint32_t I = 0; I < Copies; ++I) {
      uint32_t Word = 0;
      PTX("ld.global.ca.u32 %0, [%1];" : "=r"(Word) : "l"(At + I * 128) : "memory");
      Words += Word;
    }
    if (Pass == 1)
      break;
    for (uint32_t I = 0; I < Copies; ++I) {
      [[maybe_unused]] const size_t Place = __cvta_generic_to_global(At + I * 128);
      if constexpr (What == Between::In) {
        PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(Done) : "memory");
        PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, "
            "[%2];" ::"r"(Here),
            "l"(Place), "r"(Done) : "memory");
        PTX("{ .reg .pred P; again: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1; @!P bra "
            "again; }" ::"r"(Done),
            "r"(I % 2) : "memory");
      } else if constexpr (What == Between::Out) {
        PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(Place),
            "r"(Here) : "memory");
      } else if constexpr (What == Between::Add) {
        PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;" ::"l"(
                Place),
            "r"(Here) : "memory");
      }
    }
    if constexpr (What == Between::Wait) {
      PTX("cp.async.bulk.commit_group;" :: : "memory");
      PTX("cp.async.bulk.wait_group 0;" :: : "memory");
    }
  }
  PTX("cp.async.bulk.commit_group;" :: : "memory");
  PTX("cp.async.bulk.wait_group 0;" :: : "memory");
  *Sum = Words;
}

int main() {
  constexpr size_t BufferBytes = size_t(1) << 30;
  char *Buffer = nullptr;
  CHECK(cudaMalloc(&Buffer, BufferBytes));
  CHECK(cudaMemset(Buffer, 0, BufferBytes));
  size_t Launch = 0;
  const auto Named = [&](const char *What, uint32_t Bytes, uint32_t Offset) {
    CHECK(cudaDeviceSynchronize());
    std::printf("%s, of %u bytes at %u\n", What, Bytes, Offset);
  };
  for (uint32_t Bytes : {16, 32, 48, 128, 512, 2048, 8192})
    for (uint32_t Offset : {0, 16, 96}) {
      char *At = Buffer + (Launch++ << 20) + Offset; // that no launch before has touched
      bulkIn<<<1, 1>>>(At, Bytes, 2 * MostBytes, 1);
      Named("in", Bytes, Offset);
      bulkIn<<<1, 1>>>(At, Bytes, 2 * MostBytes, 3);
      Named("in, three times", Bytes, Offset);
      bulkOut<false><<<1, 1>>>(At, Bytes, 2 * MostBytes);
      Named("out", Bytes, Offset);
      bulkOut<true><<<1, 1>>>(At, Bytes, 2 * MostBytes);
      Named("added", Bytes, Offset);
    }
  // Far from the copied bytes.
  uint32_t *Sum = reinterpret_cast<uint32_t *>(Buffer + BufferBytes - sizeof(uint32_t));
  char *Lines = Buffer + BufferBytes / 2;
  loadAround<Between::Nothing><<<1, 1>>>(Lines, Sum);
  Named("nothing between loads", 0, 0);
  loadAround<Between::In><<<1, 1>>>(Lines, Sum);
  Named("in between loads", 128, 0);
  loadAround<Between::Out><<<1, 1>>>(Lines, Sum);
  Named("out between loads", 128, 0);
  loadAround<Between::Add><<<1, 1>>>(Lines, Sum);
  Named("added between loads", 128, 0);
  loadAround<Between::Wait><<<1, 1>>>(Lines, Sum);
  Named("a wait for writes between loads", 0, 0);
  CHECK(cudaFree(Buffer));
}
