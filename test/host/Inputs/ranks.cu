// Allocates an array that nothing uses.
#include <cstdio>

__global__ void fill(int *to) { to[threadIdx.x] = 1; }

int main() {
  int *used, *unused;
  cudaMalloc(&used, 128);
  cudaMalloc(&unused, 4096);
  fill<<<1, 32>>>(used);
  cudaFree(unused);
  cudaFree(used);
  std::puts("done");
}
