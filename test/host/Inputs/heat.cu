//===- heat.cu - Heat maps of global and of shared memory -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>

/// The threads of a warp are in 16 rows and two columns: swapped indices. All of a block's 8 warps
/// read each word of 16 rows of A; one warp reads each word of 16 columns of B, and four each
/// sector; C, which is written, likewise.
__global__ void gemm(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + column];
  C[row * n + column] = sum;
}

/// Warp r % 8 writes row r of the tile, warp c % 8 reads column c. On the diagonal, the same thread
/// does both.
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    tile[j][threadIdx.x] = in[j * n + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    out[j * n + threadIdx.x] = tile[threadIdx.x][j];
}

int main() {
  constexpr int N = 64, Bytes = N * N * sizeof(float);
  float *A, *B, *C;
  cudaMalloc(&A, Bytes);
  cudaMalloc(&B, Bytes);
  cudaMalloc(&C, Bytes);
  cudaMemset(A, 0, Bytes);
  cudaMemset(B, 0, Bytes);
  gemm<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C, N);
  transpose<<<1, dim3(32, 8)>>>(A, C, N);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
