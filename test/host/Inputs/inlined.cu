// A function that is inlined into a kernel directly, and into one that is inlined there: a warp
// reads 32 neighbours from 4 sectors each time, with -O0 through calls. Another kernel has a
// template inlined for two types: 32 doubles are in 8 sectors.
#include <cstdio>

static __device__ int one(const int *p, int i) {
  return p[i]; // line 7
}

static __device__ int two(const int *p, int i) {
  return one(p, i) + one(p, i + 32); // line 11
}

__global__ void nested(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = one(in, i + 64) + two(in, i); // line 16
}

template <typename T> __device__ T half(const T *p, int i) {
  return p[i] / 2; // line 20
}

__global__ void types(const int *ints, const double *doubles, int *out) {
  int i = threadIdx.x;
  out[i] = half(ints, i);              // line 25
  out[i + 32] = int(half(doubles, i)); // line 26
}

int main() {
  int *in, *out;
  double *doubles;
  cudaMalloc(&in, 512);
  cudaMalloc(&out, 512);
  cudaMalloc(&doubles, 512);
  cudaMemset(in, 0, 512);
  cudaMemset(doubles, 0, 512);
  nested<<<1, 32>>>(in, out);
  types<<<1, 32>>>(in, doubles, out);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
