// nvcc's atomic functions with an order and a scope. Each of the 64 threads adds 1, keeps the
// largest 3 * i, sets bit i % 32 and keeps the smallest -i: one atomic of each of the first four
// elements. The first thread swaps the fifth, stores the sixth, and copies the first to the last.
// OPTIONS: profile=global
// EXPECT: memory("operate", 32).atomics == [64, 64, 64, 64, 2, 0, 0, 0]
// EXPECT: memory("operate", 32).reads == [1, 0, 0, 0, 0, 0, 0, 0]
// EXPECT: memory("operate", 32).writes == [0, 0, 0, 0, 0, 1, 1, 0]
// EXPECT-OUTPUT: 64 189 ffffffff -63 9 7 64
#include "common.h"

__global__ void operate(int *data) {
  const int i = threadIdx.x;
  __nv_atomic_fetch_add(data, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_max(data + 1, 3 * i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_or(data + 2, 1 << i % 32, __NV_ATOMIC_RELEASE);
  __nv_atomic_fetch_min(data + 3, -i, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  __syncthreads();
  if (i == 0) {
    int seen = 1;
    __nv_atomic_compare_exchange_n(data + 4, &seen, 5, false, __NV_ATOMIC_RELAXED,
                                   __NV_ATOMIC_RELAXED);
    __nv_atomic_compare_exchange_n(data + 4, &seen, seen + 9, false, __NV_ATOMIC_RELAXED,
                                   __NV_ATOMIC_RELAXED);
    __nv_atomic_store_n(data + 5, 7, __NV_ATOMIC_RELEASE);
    data[6] = __nv_atomic_load_n(data, __NV_ATOMIC_ACQUIRE);
  }
}

int main() {
  int *data;
  CHECK(cudaMalloc(&data, 32));
  CHECK(cudaMemset(data, 0, 32));
  operate<<<1, 64>>>(data);
  CHECK(cudaGetLastError());
  int result[7];
  CHECK(cudaMemcpy(result, data, sizeof(result), cudaMemcpyDeviceToHost));
  std::printf("%d %d %x %d %d %d %d\n", result[0], result[1], result[2], result[3], result[4],
              result[5], result[6]);
  CHECK(cudaFree(data));
}
