// A template with two instances, and a function that is inlined into both. Block 0 has eight
// warps, and each of its threads makes one access at each place:
//   square  reads 32 neighbours from 4 (float) or 8 (double) whole sectors; those that begin one
//           element later lie in one sector more
//   scale   reads in[i * stride]: float every 16 bytes, 16 sectors a warp, double every 64, 32
//   tile    rows of 33: a warp stores a column without bank conflicts, of double in two wavefronts
//           (a wavefront has 32 words)
#include <cstdio>

template <typename T> __device__ __forceinline__ T square(const T *in, int i) {
  return in[i] * in[i + 1];
}

template <typename T> __global__ void scale(const T *in, T *out, int stride) {
  __shared__ T tile[32][33];
  int i = threadIdx.x;
  tile[i % 32][i / 32] = in[i * stride];
  __syncthreads();
  out[i] = square(in, i) + tile[i / 32][i % 32];
}

int main() {
  float *a, *b;
  double *c, *d;
  cudaMalloc(&a, 65536);
  cudaMalloc(&b, 65536);
  cudaMalloc(&c, 65536);
  cudaMalloc(&d, 65536);
  scale<float><<<2, 256>>>(a, b, 4);
  scale<double><<<2, 256>>>(c, d, 8);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
