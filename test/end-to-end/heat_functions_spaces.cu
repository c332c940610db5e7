// Functions that get pointers to the same memory in all calls: shared, local and global memory.
// Local memory is not recorded, and requests are attributed to the one memory. `either` gets shared
// memory from the first warp and global memory from the second one.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.lanes) for l in heat_lines("work", "Device")] == [
//     ("store", 2, 64), ("store", 1, 32)]
// EXPECT: [(l["function"], l["access"], l["requests"], l["lanes"], l["wavefronts"])
//     for l in kernel("work").data["heat"]["other_shared_lines"]] == [
//     ("fill", "store", 2, 64, 2), ("drain", "load", 2, 64, 2), ("either", "store", 1, 32, 1)]
// EXPECT: kernel("work").data["heat"]["other_lines"] == []
// EXPECT: heat("work", 256, by="writes").words == [1] * 64
// EXPECT: heat("work", 256, by="writes").accesses == 64 + 32
// EXPECT: heat("work", "Tile", by="writes").words == [1] * 64
// EXPECT: heat("work", "Tile", by="writes").accesses == 64 + 32
// EXPECT: heat("work", "Tile", by="reads").words == [2] * 32 + [1] * 32
// EXPECT: heat("work", "Tile", by="reads").accesses == 64 + 64
#include "common.h"

__device__ __noinline__ void fill(int *tile, const int *own) {
  tile[threadIdx.x] = own[threadIdx.x % 4] + own[3];
}

__device__ __noinline__ void drain(const int *tile, int *own, int *out) {
  own[threadIdx.x % 4] = tile[63 - threadIdx.x];
  out[threadIdx.x] = own[(threadIdx.x + 1) % 4] + own[0];
}

__device__ __noinline__ void either(int *p) { p[threadIdx.x] = 5; }

__global__ void work(int *out, int n) {
  __shared__ int Tile[64];
  int Own[4] = {n, n + 1, n + 2, n + 3};
  fill(Tile, Own);
  __syncthreads();
  drain(Tile, Own, out);
  __syncthreads();
  if (threadIdx.x < 32)
    either(Tile);
  else
    either(out);
  __syncthreads();
  if (Tile[threadIdx.x % 32] != 5 && n >= 0)
    __trap();
}

int main() {
  int *Out = deviceInts(64);
  work<<<1, 64>>>(Out, 3);
  printResult("out", Out, 64);
}
