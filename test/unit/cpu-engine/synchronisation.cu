// Barriers, warp operations, divergence, waiting loops.
#include <cooperative_groups.h>

extern __shared__ int Dynamic[];

// There is no builtin function for this intrinsic.
__device__ void arriveAt(int Barrier,
                         int Count) __asm__("llvm.nvvm.barrier.cta.arrive.aligned.count");

extern "C" {

__global__ void reverse(int *Data) {
  __shared__ int Tile[256];
  Tile[threadIdx.x] = Data[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  Data[blockIdx.x * 256 + threadIdx.x] = Tile[255 - threadIdx.x];
}

__global__ void reduceBlock(const int *In, int *Out) {
  int *Sums = Dynamic;
  __shared__ int Extra[3];
  unsigned T = threadIdx.x;
  if (T < 3)
    Extra[T] = 1000 * (T + 1);
  Sums[T] = In[blockIdx.x * blockDim.x + T];
  __syncthreads();
  for (unsigned Half = blockDim.x / 2; Half; Half /= 2) {
    if (T < Half)
      Sums[T] += Sums[T + Half];
    __syncthreads();
  }
  if (T == 0)
    Out[blockIdx.x] = Sums[0] + Extra[0] + Extra[1] + Extra[2];
}

__global__ void sharedAddresses(unsigned long *Out) {
  __shared__ int A[7];
  __shared__ double B[3];
  Out[0] = (unsigned long)__cvta_generic_to_shared(A);
  Out[1] = (unsigned long)A;
  Out[2] = (unsigned long)__cvta_generic_to_shared(B);
  Out[3] = (unsigned long)__cvta_generic_to_shared(Dynamic);
  A[threadIdx.x] = Dynamic[threadIdx.x];
  B[threadIdx.x % 3] = A[threadIdx.x];
}

__global__ void barrierReductions(int *Out) {
  int T = threadIdx.x;
  int Count = __syncthreads_count(T % 3 == 0);
  int And = __syncthreads_and(T < 1000);
  int And2 = __syncthreads_and(T < 40);
  int Or = __syncthreads_or(T == 70);
  int Or2 = __syncthreads_or(T == 700);
  Out[T] = Count + 1000 * And + 2000 * And2 + 4000 * Or + 8000 * Or2;
}

__global__ void earlyReturn(int *Out) {
  __shared__ int Sum;
  if (threadIdx.x == 0)
    Sum = 0;
  __syncthreads();
  if (threadIdx.x % 4 == 3)
    return;
  atomicAdd(&Sum, 1);
  __syncthreads();
  Out[threadIdx.x] = Sum + 100 * __popc(__activemask());
}

__global__ void barrierInBothArms(int *Out) {
  __shared__ int Values[128];
  int T = threadIdx.x;
  if (T < 64) {
    Values[T] = T;
    __syncthreads();
    Out[T] = Values[T + 64];
  } else {
    Values[T] = 2 * T;
    __syncthreads();
    Out[T] = Values[T - 64];
  }
}

__global__ void namedBarriers(int *Out) {
  // Two warps produce for two others, without the rest of the block.
  __shared__ int Buffer[64];
  int T = threadIdx.x;
  if (T < 64) {
    Buffer[T] = 3 * T;
    arriveAt(1, 128);
  } else if (T < 128) {
    __nvvm_barrier_sync_cnt(1, 128);
    Out[T - 64] = Buffer[127 - T];
  }
}

__global__ void shuffles(int *Out) {
  int T = threadIdx.x, V = 10 * T + 1;
  Out[T * 8 + 0] = __shfl_sync(~0u, V, 5);
  Out[T * 8 + 1] = __shfl_up_sync(~0u, V, 3);
  Out[T * 8 + 2] = __shfl_down_sync(~0u, V, 4);
  Out[T * 8 + 3] = __shfl_xor_sync(~0u, V, 6);
  Out[T * 8 + 4] = __shfl_sync(~0u, V, T + 1, 8);
  Out[T * 8 + 5] = __shfl_up_sync(~0u, V, 1, 16);
  Out[T * 8 + 6] = __shfl_down_sync(~0u, V, 2, 4);
  Out[T * 8 + 7] = int(__shfl_down_sync(~0u, double(V), 1) + __shfl_xor_sync(~0u, float(V), 1));
}

__global__ void votes(unsigned *Out) {
  int T = threadIdx.x;
  unsigned *O = Out + T * 8;
  O[0] = __ballot_sync(~0u, T % 3 == 0);
  O[1] = __all_sync(~0u, T < 32) + 2 * __all_sync(~0u, T < 31);
  O[2] = __any_sync(~0u, T == 31) + 2 * __any_sync(~0u, T == 32);
  O[3] = __match_any_sync(~0u, T / 5);
  int Predicate;
  O[4] = __match_all_sync(~0u, T / 32, &Predicate);
  O[4] += Predicate;
  O[5] = __match_all_sync(~0u, T / 16, &Predicate);
  O[5] += Predicate;
  O[6] = __match_any_sync(~0u, (unsigned long long)(T & 1) << 40);
  O[7] = __nvvm_vote_uni_sync(~0u, T < 32) + 2 * __nvvm_vote_uni_sync(~0u, T < 7);
}

__global__ void reductions(unsigned *Out) {
  int T = threadIdx.x;
  unsigned *O = Out + T * 8;
  O[0] = __reduce_add_sync(~0u, unsigned(T));
  O[1] = __reduce_min_sync(~0u, 5 - T);
  O[2] = __reduce_max_sync(~0u, 5 - T);
  O[3] = __reduce_min_sync(~0u, unsigned(5 - T));
  O[4] = __reduce_max_sync(~0u, unsigned(5 - T));
  O[5] = __reduce_and_sync(~0u, unsigned(T | 64));
  O[6] = __reduce_or_sync(~0u, 1u << T);
  O[7] = __reduce_xor_sync(~0u, unsigned(T) * 3);
}

__global__ void divergent(unsigned *Out) {
  int T = threadIdx.x;
  unsigned Mask;
  if (T % 2)
    Mask = __activemask();
  else
    Mask = __ballot_sync(0x55555555, T >= 16);
  Out[T] = Mask;
  Out[32 + T] = __activemask();
}

__global__ void divergentLoop(unsigned *Out) {
  // Lane T iterates T % 4 + 1 times; in turn I the lanes with T % 4 >= I are active.
  int T = threadIdx.x;
  unsigned Sum = 0;
  for (int I = 0; I <= T % 4; ++I)
    Sum += __popc(__activemask()) << (8 * I);
  Out[T] = Sum;
  Out[32 + T] = __activemask();
}

__global__ void conditionalInLoop(unsigned *Out) {
  // In turn I the lanes with T % 4 == I are active in the branch.
  int T = threadIdx.x;
  unsigned Mask = 0;
  for (int I = 0; I < 4; ++I)
    if (T % 4 == I)
      Mask = __activemask();
  Out[T] = Mask;
}

__device__ __noinline__ unsigned whoIsHere(int Depth) {
  return Depth ? whoIsHere(Depth - 1) : __activemask();
}

__global__ void throughCalls(unsigned *Out) {
  int T = threadIdx.x;
  unsigned First;
  if (T < 10)
    First = whoIsHere(0);
  else
    First = whoIsHere(2);
  Out[T] = First;
  Out[32 + T] = whoIsHere(1);
}

__global__ void odditiesOfMasks(int *Out) {
  int T = threadIdx.x;
  // The mask omits the caller.
  Out[T] = __popc(__ballot_sync(1u, 1));
  if (T >= 16)
    return;
  // The mask names lanes that have exited.
  Out[32 + T] = __shfl_down_sync(~0u, T, 1);
  Out[64 + T] = __ballot_sync(~0u, 1);
  // A full mask in both arms of a condition.
  if (T < 8)
    Out[96 + T] = __shfl_sync(~0u, T, 2);
  else
    Out[96 + T] = __shfl_sync(~0u, T, 9);
}

__global__ void elect(unsigned *Out) {
  if (threadIdx.x >= 4) {
    unsigned Leader = 99, Is = 0;
    asm volatile("{ .reg .pred P; elect.sync %0|P, 0xfffffff0; selp.u32 %1, 1, 0, P; }"
                 : "=r"(Leader), "=r"(Is));
    Out[threadIdx.x] = Leader * 10 + Is;
  }
}

__global__ void specialRegisters(unsigned *Out) {
  unsigned T = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned *O = Out + 4 * T;
  O[0] = __nvvm_read_ptx_sreg_laneid();
  O[1] = __nvvm_read_ptx_sreg_warpid();
  O[2] = __nvvm_read_ptx_sreg_lanemask_lt() ^ __nvvm_read_ptx_sreg_lanemask_ge();
  O[3] = __nvvm_read_ptx_sreg_lanemask_eq() + __nvvm_read_ptx_sreg_lanemask_gt();
}

typedef int (*Reduction)(int);
__device__ __noinline__ int sumOfWarp(int V) { return int(__reduce_add_sync(~0u, unsigned(V))); }
__device__ __noinline__ int countOfBlock(int V) { return __syncthreads_count(V); }
__device__ Reduction Reductions[2] = {sumOfWarp, countOfBlock};
__device__ Reduction Stored;

__global__ void storePointer() { Stored = countOfBlock; }
__global__ void throughPointers(int *Out, int Which) {
  // One pointer is a variable's initial value, one was stored by another kernel.
  Out[threadIdx.x] = 1000 * Reductions[Which](threadIdx.x) + Stored(threadIdx.x % 2);
}

__global__ void exitInMiddle(int *Out) {
  if (threadIdx.x % 2)
    __nvvm_exit();
  __syncthreads();
  Out[threadIdx.x] = 1;
}

//===-- Waiting for other threads -------------------------------------------===//

__global__ void spinLock(int *Lock, int *Count) {
  bool Done = false;
  while (!Done) {
    if (atomicCAS(Lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)Count = *(volatile int *)Count + 1;
      __threadfence();
      atomicExch(Lock, 0);
      Done = true;
    }
  }
}

__global__ void waitForLaterThread(volatile int *Flag, int *Out) {
  if (threadIdx.x == 0) {
    while (*Flag == 0)
      ;
    Out[0] = *Flag;
  }
  if (threadIdx.x == 40)
    *Flag = 17;
}

__global__ void waitForLaterBlock(volatile int *Flags, int *Out) {
  // Each block waits for the next one, against the order in which blocks start.
  if (blockIdx.x + 1 < gridDim.x)
    while (Flags[blockIdx.x + 1] == 0)
      __nanosleep(10);
  if (threadIdx.x == 0) {
    Out[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? Out[blockIdx.x + 1] + 1 : 1;
    __threadfence();
    Flags[blockIdx.x] = 1;
  }
}

__global__ void gridBarrierByBlocks(volatile int *Arrived, int *Out) {
  // Hand-written barrier: all threads of a block loop together until all blocks have arrived.
  __shared__ bool Done;
  if (threadIdx.x == 0)
    atomicAdd((int *)Arrived, 1);
  do {
    __syncthreads();
    if (threadIdx.x == 0)
      Done = *Arrived == gridDim.x;
    __syncthreads();
  } while (!Done);
  Out[blockIdx.x * blockDim.x + threadIdx.x] = *Arrived;
}

__global__ void gridBarrierByWarps(volatile int *Arrived, int *Out) {
  if (threadIdx.x % 32 == 0)
    atomicAdd((int *)Arrived, 1);
  while (!__any_sync(~0u, *Arrived == gridDim.x * blockDim.x / 32))
    ;
  Out[blockIdx.x * blockDim.x + threadIdx.x] = *Arrived;
}

__global__ void gridSync(int *Data, int *Out) {
  auto Grid = cooperative_groups::this_grid();
  int I = blockIdx.x * blockDim.x + threadIdx.x, N = gridDim.x * blockDim.x;
  Data[I] = I;
  Grid.sync();
  int V = Data[N - 1 - I];
  Grid.sync();
  Data[I] = V * 2;
  Grid.sync();
  Out[I] = Data[(I + 37) % N];
}

__constant__ int Constant[2] = {1, 2};
__device__ int Global = 3;

__device__ __noinline__ int spaceOf(const void *P) {
  return (__isGlobal(P) ? 1 : 0) | (__isShared(P) ? 2 : 0) | (__isConstant(P) ? 4 : 0) |
         (__isLocal(P) ? 8 : 0);
}

__global__ void spaces(int *Out, const int *OneOf) {
  __shared__ int Shared[4];
  int Local[4] = {Out[0]};
  Shared[threadIdx.x] = 0;
  __syncthreads();
  int *O = Out + threadIdx.x * 8;
  O[0] = spaceOf(Out);
  O[1] = spaceOf(&Global);
  O[2] = spaceOf(&Constant[1]);
  O[3] = spaceOf(&Local[threadIdx.x & 3]);
  O[4] = spaceOf(&Shared[0]);
  O[5] = spaceOf(&Dynamic[3]); // last word
  O[6] = spaceOf(&Dynamic[4]); // beyond the end
  O[7] = spaceOf(&Shared[0] - 1);
}

__global__ void largeTile(int *Out) {
  // A tile of several warps keeps its state in reserved shared memory.
  auto Tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
  __shared__ int Sums[4];
  if (threadIdx.x < 4)
    Sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&Sums[threadIdx.x / 64], int(Tile.thread_rank()));
  Tile.sync();
  Out[threadIdx.x] = Sums[threadIdx.x / 64];
}

__global__ void tiles(int *Out) {
  auto Block = cooperative_groups::this_thread_block();
  auto Tile = cooperative_groups::tiled_partition<8>(Block);
  int V = threadIdx.x;
  for (int Offset = 4; Offset; Offset /= 2)
    V += Tile.shfl_down(V, Offset);
  Block.sync();
  Out[threadIdx.x] = Tile.shfl(V, 0) + 1000 * Tile.thread_rank();
}

__global__ void coalesced(int *Out) {
  if (threadIdx.x % 3 == 0) {
    auto Group = cooperative_groups::coalesced_threads();
    Out[threadIdx.x] = Group.thread_rank() * 100 + Group.size();
  }
}

__global__ void histogram(const unsigned char *In, int N, unsigned *Out) {
  __shared__ unsigned Bins[64];
  if (threadIdx.x < 64)
    Bins[threadIdx.x] = 0;
  __syncthreads();
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    atomicAdd(&Bins[In[I] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&Out[threadIdx.x], Bins[threadIdx.x]);
}

/// Counts the threads of a cluster in its first block's memory. Some threads exit before the second
/// barrier, and one exits after it has arrived there.
__global__ void meetInCluster(unsigned *Out) {
  __shared__ unsigned There;
  if (threadIdx.x == 0)
    There = 0;
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
  unsigned *Firsts = (unsigned *)__nvvm_mapa((void *)&There, 0);
  const unsigned Rank = __nvvm_read_ptx_sreg_cluster_ctarank();
  atomicAdd(Firsts, 1);
  if (Rank == 1 && threadIdx.x % 2 == 1)
    return;
  __nvvm_barrier_cluster_arrive();
  if (Rank == 2 && threadIdx.x == 3)
    return; // has arrived, and does not wait
  __nvvm_barrier_cluster_wait();
  Out[blockIdx.x * blockDim.x + threadIdx.x] = *Firsts;
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
}

/// The blocks of a cluster wait for the preceding cluster.
__global__ void chainOfClusters(unsigned *Out, volatile unsigned *Done) {
  const unsigned Cluster = __nvvm_read_ptx_sreg_clusterid_x();
  if (threadIdx.x == 0)
    while (Cluster != 0 && Done[Cluster - 1] != __nvvm_read_ptx_sreg_cluster_nctarank())
      ;
  __syncthreads();
  if (threadIdx.x == 0)
    Out[blockIdx.x] =
        Cluster == 0 ? 1 : 1 + Out[blockIdx.x - __nvvm_read_ptx_sreg_cluster_nctarank()];
  __threadfence();
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
  if (threadIdx.x == 0)
    atomicAdd((unsigned *)&Done[Cluster], 1);
}

} // extern "C"
