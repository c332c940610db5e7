// Keeps the numbers that are divisible by three, version 2: one lane of a warp takes the places for
// all lanes that have a number. The list has the same numbers, in another order.

#include <cstdio>
#include <cuda_runtime.h>

static constexpr int Numbers = 1 << 14, Threads = 256;

__global__ void compact(const int *in, int *counter, int *list) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  const bool Keep = in[I] % 3 == 0;
  const unsigned Keeping = __ballot_sync(~0u, Keep), Lane = threadIdx.x % 32;
  if (Keeping == 0)
    return;
  const int Leader = __ffs(Keeping) - 1;
  int First = 0;
  if (Lane == unsigned(Leader))
    First = atomicAdd(counter, __popc(Keeping));
  First = __shfl_sync(~0u, First, Leader);
  if (Keep)
    list[First + __popc(Keeping & ((1u << Lane) - 1))] = in[I];
}

int main() {
  static int Host[Numbers];
  long Expected = 0, Sum = 0;
  for (int I = 0; I < Numbers; ++I) {
    Host[I] = I * 7 % 1000;
    Expected += Host[I] % 3 == 0 ? Host[I] : 0;
  }
  int *In, *Counter, *List, Count = 0;
  cudaMalloc(&In, sizeof(Host));
  cudaMemcpy(In, Host, sizeof(Host), cudaMemcpyHostToDevice);
  cudaMalloc(&Counter, sizeof(int));
  cudaMemset(Counter, 0, sizeof(int));
  cudaMalloc(&List, sizeof(Host));
  compact<<<Numbers / Threads, Threads>>>(In, Counter, List);
  cudaMemcpy(&Count, Counter, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(Host, List, Count * sizeof(int), cudaMemcpyDeviceToHost);
  for (int I = 0; I < Count; ++I)
    Sum += Host[I];
  std::printf("compaction v2: %d of %d numbers, %s\n", Count, Numbers,
              Sum == Expected ? "PASSED" : "FAILED");
  cudaFree(In);
  cudaFree(Counter);
  cudaFree(List);
  return Sum == Expected ? 0 : 1;
}
