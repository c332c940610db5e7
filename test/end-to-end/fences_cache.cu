// A fence with other multiprocessors in its scope empties L1, and so does an operation that
// acquires; what orders the threads of a block alone does not. Each warp reads its own line four
// times: after nothing, a fence of the block, one of the GPU, and an atomic that acquires.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// OPTIONS: profile=cache
// EXPECT: {o["name"]: [o["traffic"][n] for n in ("requests", "l1_lookups", "l1_hits",
//     "lost_to_fences", "l2_reads")] for o in summary["cache"]["objects"]}["data"]
//     == [16 * 4, 16 * 16, 16 * 4, 16 * 8, 16 * 12]
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: sums: 523264
#include "cached_load.h"
#include "common.h"

__device__ int word;

__device__ __forceinline__ void acquire(int *from) {
#ifdef __CUDA_ARCH__
  int value;
  asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 0;"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
#endif
}

__global__ void sum(const int *data, int *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int result = load(data + i);
  __threadfence_block();
  result += load(data + i);
  __threadfence();
  result += load(data + i);
  acquire(&word);
  result += load(data + i);
  sums[i] = result;
}

int main() {
  constexpr int N = 16 * 32;
  int numbers[N];
  for (int i = 0; i < N; ++i)
    numbers[i] = i;
  int *data = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&data, sizeof(numbers)));
  CHECK(cudaMalloc(&sums, sizeof(numbers)));
  CHECK(cudaMemcpy(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
  sum<<<16, 32>>>(data, sums);
  CHECK(cudaMemcpy(numbers, sums, sizeof(numbers), cudaMemcpyDeviceToHost));
  int all = 0;
  for (int i : numbers)
    all += i;
  std::printf("sums: %d\n", all);
  CHECK(cudaFree(data));
  CHECK(cudaFree(sums));
}
