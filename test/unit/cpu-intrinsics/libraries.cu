//===- libraries.cu - Kernels that use CUDA's device libraries ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>

namespace cg = cooperative_groups;

// 256 threads each, one result per thread and column.

extern "C" __global__ void groups(const int *In, int *Out) {
  auto Block = cg::this_thread_block();
  auto Warp = cg::tiled_partition<32>(Block);
  auto Eight = cg::tiled_partition<8>(Block);
  int V = In[Block.thread_rank()], *O = Out + Block.thread_rank() * 8;
  O[0] = cg::reduce(Warp, V, cg::plus<int>());
  O[1] = cg::reduce(Eight, V, cg::greater<int>());
  O[2] = cg::inclusive_scan(Warp, V);
  O[3] = cg::exclusive_scan(Eight, V);
  O[4] = Warp.shfl_down(V, 1);
  O[5] = Eight.ballot(V & 1);
  if (V & 1) {
    auto Odd = cg::coalesced_threads();
    O[6] = cg::reduce(Odd, V, cg::bit_xor<int>());
  } else
    O[6] = -1;
  __shared__ int Copy[256];
  cg::memcpy_async(Block, Copy, In, sizeof(Copy));
  cg::wait(Block);
  O[7] = Copy[255 - Block.thread_rank()];
}

extern "C" __global__ void blocks(const int *In, int *Out, unsigned *Sorted) {
  using Reduce = cub::BlockReduce<int, 256>;
  using ReduceRanked = cub::BlockReduce<int, 256, cub::BLOCK_REDUCE_RAKING>;
  using Scan = cub::BlockScan<int, 256>;
  using Sort = cub::BlockRadixSort<unsigned, 256, 2>;
  using WarpScan = cub::WarpScan<float>;
  __shared__ typename Reduce::TempStorage ReduceStorage;
  __shared__ typename ReduceRanked::TempStorage RankedStorage;
  __shared__ typename Scan::TempStorage ScanStorage;
  __shared__ typename Sort::TempStorage SortStorage;
  __shared__ typename WarpScan::TempStorage WarpStorage[8];
  int T = threadIdx.x, V = In[T], *O = Out + T * 4;
  int Sum = Reduce(ReduceStorage).Sum(V);
  int Max = ReduceRanked(RankedStorage).Reduce(V, [](int A, int B) { return A > B ? A : B; });
  O[0] = T == 0 ? Sum : 0;
  O[1] = T == 0 ? Max : 0;
  Scan(ScanStorage).ExclusiveSum(V, O[2]);
  float F;
  WarpScan(WarpStorage[T / 32]).InclusiveSum(V * 0.5f, F);
  O[3] = F * 2;
  unsigned Keys[2] = {unsigned(V), unsigned(V) * 7919 % 1000};
  Sort(SortStorage).Sort(Keys);
  Sorted[T * 2] = Keys[0];
  Sorted[T * 2 + 1] = Keys[1];
}

extern "C" __global__ void atomics(int *Counts, float *Sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device> Adds(Counts[0]), Max(Counts[1]), Cas(Counts[2]);
  Adds.fetch_add(1, cuda::memory_order_relaxed);
  Max.fetch_max(int(threadIdx.x) * 3 % 256);
  int Seen = Cas.load();
  while (!Cas.compare_exchange_weak(Seen, Seen + 2))
    ;
  cuda::atomic_ref<float, cuda::thread_scope_block>(*Sum).fetch_add(0.5f);
  if (threadIdx.x < 100)
    cuda::atomic_ref<unsigned char>(*reinterpret_cast<unsigned char *>(Counts + 3)).fetch_add(1);
}

extern "C" __global__ void barriers(int *Out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char Storage[sizeof(Barrier)];
  __shared__ int Turn[256];
  Barrier &B = *reinterpret_cast<Barrier *>(Storage);
  int T = threadIdx.x;
  if (T == 0)
    init(&B, 256);
  __syncthreads();
  Turn[T] = T;
  for (int Step = 0; Step != 3; ++Step) {
    B.arrive_and_wait();
    int V = Turn[(T + 1) % 256];
    B.wait(B.arrive());
    Turn[T] = V;
  }
  Out[T] = Turn[T];
}
