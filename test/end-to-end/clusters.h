// Launches in clusters, and a kernel whose blocks access each other's shared memory in all ways
// that there are.
#ifndef GMPROF_TEST_CLUSTERS_H
#define GMPROF_TEST_CLUSTERS_H

#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename... Parameters>
inline cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, dim3 cluster,
                          unsigned bytes, Parameters... values) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, values...);
}

__device__ __noinline__ int sumOf(const volatile int *numbers) {
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += numbers[i];
  return sum;
}

/// For blocks of 64 threads. Each thread loads a word of `row` and of `more` in the next block, the
/// first 16 words of `row` in a function that also gets its own row, and stores a word of `flags`;
/// in the first block it loads the only word of `first`, `times` times.
__global__ void exchange(int *out, int times) {
  __shared__ volatile int row[64];
  __shared__ volatile int flags[64];
  __shared__ volatile int first;
  extern __shared__ volatile int more[];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int thread = threadIdx.x;
  row[thread] = blockIdx.x * 64 + thread;
  more[thread] = -thread;
  if (thread == 0)
    first = blockIdx.x;
  cluster.sync();
  const volatile int *nextRow = cluster.map_shared_rank((int *)row, next);
  const volatile int *nextMore = cluster.map_shared_rank((int *)more, next);
  const volatile int *common = cluster.map_shared_rank((int *)&first, 0);
  int total = nextRow[thread] + nextMore[63 - thread] + sumOf(nextRow) + sumOf(row);
  for (int i = 0; i < times; ++i)
    total += *common;
#ifdef __CUDA_ARCH__
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared((int *)flags + thread));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(next));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(total) : "memory");
#endif
  cluster.sync();
  out[blockIdx.x * 64 + thread] = total + flags[thread];
}

/// Runs 8 blocks in two clusters, five times each.
inline void runExchange() {
  int *out;
  CHECK(cudaMalloc(&out, 8 * 64 * sizeof(int)));
  CHECK(launch(exchange, dim3(8), dim3(64), dim3(4), 64 * sizeof(int), out, 5));
  printResult("exchange", out, 8 * 64);
  CHECK(cudaFree(out));
}

#endif
