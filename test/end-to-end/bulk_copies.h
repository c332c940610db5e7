// Bulk copies, which one thread has a unit of the SM make: from and to global memory, to the memory
// of another block of the cluster, and with addition.
#ifndef GMPROF_TEST_BULK_COPIES_H
#define GMPROF_TEST_BULK_COPIES_H

#include "clusters.h"

__device__ inline unsigned sharedAddress(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

#ifdef __CUDA_ARCH__
#define PTX(...) asm volatile(__VA_ARGS__)
#else
#define PTX(...) (void)0
#endif

/// Initialises the barrier for one arrival, which announces the number of bytes.
__device__ inline void initBarrier(unsigned long long *barrier) {
  PTX("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(barrier)) : "memory");
  PTX("fence.mbarrier_init.release.cluster;" :: : "memory");
}

__device__ inline void expectBytes(unsigned long long *barrier, unsigned bytes) {
  PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
      "r"(bytes) : "memory");
}

__device__ inline void waitFor(unsigned long long *barrier) {
  unsigned done = 0;
  while (!done)
    PTX("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, "
        "p; "
        "}" : "=r"(done) : "r"(sharedAddress(barrier)) : "memory");
}

/// Waits in one piece of assembly, which counts as one wait.
__device__ inline void waitAtOnce(unsigned long long *barrier) {
  PTX("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; "
      "}" ::"r"(sharedAddress(barrier)) : "memory");
}

__device__ inline void copyIn(int *to, const int *from, unsigned bytes,
                              unsigned long long *barrier) {
  PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(sharedAddress(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(sharedAddress(barrier)) : "memory");
}

/// Called by each thread that has stored data to copy, before the barrier.
__device__ inline void letCopiesSee() { PTX("fence.proxy.async.shared::cta;" :: : "memory"); }

__device__ inline void copyOut(int *to, const int *from, unsigned bytes) {
  PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
          __cvta_generic_to_global(to)),
      "r"(sharedAddress(from)), "r"(bytes) : "memory");
}

__device__ inline void addOut(int *to, const int *from) {
  PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;" ::"l"(
          __cvta_generic_to_global(to)),
      "r"(sharedAddress(from)) : "memory");
}

__device__ inline void waitForCopiesOut() {
  PTX("cp.async.bulk.commit_group;" :: : "memory");
  PTX("cp.async.bulk.wait_group 0;" :: : "memory");
}

/// Copies the first words of the block's 256 of `in`, reversed, to `out`, and adds the sums of
/// every 32nd word to `sums`.
__global__ void turn(const int *in, int *out, int *sums, int words) {
  __shared__ alignas(128) int tile[256];
  __shared__ alignas(128) int turned[256];
  __shared__ alignas(128) int row[32];
  __shared__ unsigned long long barrier;
  const int thread = threadIdx.x, first = blockIdx.x * 256;
  if (thread == 0)
    initBarrier(&barrier);
  __syncthreads();
  if (thread == 0) {
    expectBytes(&barrier, words * sizeof(int));
    copyIn(tile, in + first, words * sizeof(int), &barrier);
  }
  waitFor(&barrier);
  int sum = 0;
  for (int i = thread; i < words; i += 32) {
    const int value = tile[i];
    turned[words - 1 - i] = value;
    sum += value;
  }
  row[thread] = sum;
  letCopiesSee();
  __syncthreads();
  if (thread == 0) {
    copyOut(out + first, turned, words * sizeof(int));
    addOut(sums, row);
    waitForCopiesOut();
  }
}

/// Each block of a cluster copies 64 words to the next block.
__global__ void give(int *out) {
  __shared__ alignas(128) int mine[64];
  __shared__ alignas(128) int got[64];
  __shared__ unsigned long long barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int thread = threadIdx.x;
  mine[thread] = blockIdx.x * 64 + thread;
  letCopiesSee();
  if (thread == 0) {
    initBarrier(&barrier);
    expectBytes(&barrier, sizeof(got));
  }
  cluster.sync();
  if (thread == 0) {
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    unsigned to = sharedAddress(got), there = sharedAddress(&barrier);
    PTX("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(sharedAddress(got)), "r"(next));
    PTX("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(sharedAddress(&barrier)),
        "r"(next));
    PTX("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, "
        "[%2];" ::"r"(to),
        "r"(sharedAddress(mine)), "r"(there) : "memory");
  }
  waitAtOnce(&barrier);
  out[blockIdx.x * 64 + thread] = got[thread];
  cluster.sync(); // the copy has left
}

/// Runs four blocks of turn with whole tiles, two with 80 words, and two clusters of give.
inline void runCopies() {
  int *in = nullptr, *out = nullptr, *sums = nullptr, *given = nullptr, numbers[4 * 256];
  for (int i = 0; i < 4 * 256; ++i)
    numbers[i] = i;
  CHECK(cudaMalloc(&in, sizeof(numbers)));
  CHECK(cudaMemcpy(in, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&out, 4 * 256 * sizeof(int)));
  CHECK(cudaMemset(out, 0, 4 * 256 * sizeof(int)));
  CHECK(cudaMalloc(&sums, 32 * sizeof(int)));
  CHECK(cudaMemset(sums, 0, 32 * sizeof(int)));
  CHECK(cudaMalloc(&given, 4 * 64 * sizeof(int)));
  turn<<<4, 32>>>(in, out, sums, 256);
  printResult("whole", out, 4 * 256);
  turn<<<2, 32>>>(in, out, sums, 80);
  printResult("parts", out, 4 * 256);
  printResult("sums", sums, 32);
  CHECK(launch(give, dim3(4), dim3(64), dim3(2), 0, given));
  printResult("given", given, 4 * 64);
  for (int *memory : {in, out, sums, given})
    CHECK(cudaFree(memory));
}

#endif
