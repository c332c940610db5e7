#include <cstdio>
#ifdef SEVERAL
int host();
__device__ int other(int);
#else
int host() { return 0; }
__device__ int other(int I) { return I; }
#endif

__global__ void kernel(int *Out) { Out[threadIdx.x] = other(threadIdx.x); }

int main() {
  std::printf("%d\n", host());
  return cudaGetErrorString(cudaSuccess) == nullptr;
}
