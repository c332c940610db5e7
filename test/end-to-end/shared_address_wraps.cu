// Addresses of shared memory have 32 bits: an unsigned index of -1 is the element before.
// BUILD: -O2 -g
// OPTIONS: profile=shared
// EXPECT: shared("mirror", "values").accesses == 2 * 2 * 32
// EXPECT-OUTPUT: 31 0 63 32

#include <cstdio>

__global__ void mirror(int *out) {
  __shared__ int values[32];
  values[threadIdx.x] = 32 * blockIdx.x + threadIdx.x;
  __syncthreads();
  unsigned i = threadIdx.x;
  out[32 * blockIdx.x + i] = (values + 32)[~i];
}

int main() {
  int *out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  mirror<<<2, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  printf("%d %d %d %d\n", out[0], out[31], out[32], out[63]);
  cudaFree(out);
}
