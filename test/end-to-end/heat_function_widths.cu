// ptxas joins the four loads of a function that it does not inline. Each call is one instruction of
// 16 bytes, a request of 4 wavefronts: 2 * 8 requests per 256 threads, beside 32 of the stores. The
// function's other loads are apart, and stay four requests: 8 * 4.
// BUILD-NVCC: -O3 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: [(h["shared_requests"], h["wavefronts"]) for h in [kernel("joined").data["heat"]]] ==
//     [(32 + 2 * 8, 32 + 2 * 8 * 4)]
// EXPECT: [(h["shared_requests"], h["wavefronts"]) for h in [kernel("apart").data["heat"]]] ==
//     [(32 + 8 * 4, 32 + 8 * 4)]
// EXPECT: [kernel(k).data["heat"]["shared_requests_of_ptx"] for k in ("joined", "apart")] == [0, 0]
#include "common.h"

template <int Stride> __device__ __noinline__ int sumOfFour(const int *Words) {
  return Words[0] + Words[Stride] + Words[2 * Stride] + Words[3 * Stride];
}

__device__ void fill(const int *In, int *Tile) {
  for (int I = threadIdx.x; I < 1024; I += 256)
    Tile[I] = In[I];
  __syncthreads();
}

__global__ void joined(const int *In, int *Out) {
  __shared__ int Tile[1024];
  fill(In, Tile);
  const int T = threadIdx.x;
  Out[T] = sumOfFour<1>(Tile + 4 * T) + 2 * sumOfFour<1>(Tile + 4 * (T ^ 1));
}

__global__ void apart(const int *In, int *Out) {
  __shared__ int Tile[1024];
  fill(In, Tile);
  Out[threadIdx.x] = sumOfFour<256>(Tile + threadIdx.x);
}

int main() {
  int *In = deviceInts(1024), *Out = deviceInts(256);
  joined<<<1, 256>>>(In, Out);
  printResult("joined", Out, 256);
  apart<<<1, 256>>>(In, Out);
  printResult("apart", Out, 256);
}
