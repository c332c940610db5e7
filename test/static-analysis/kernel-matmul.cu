// The tiled matrix multiplication of every CUDA course. Its inner loop is kept,
// so that the accesses are those of the source.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-accesses>' -disable-output | FileCheck %s

constexpr int T = 16;

// CHECK-LABEL: accesses of _Z6matmulPKfS0_Pfi: 7{{$}}
__global__ void matmul(const float *A, const float *B, float *C, int n) {
  __shared__ float As[T][T], Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < n / T; ++t) {
    // One address for a thread in all iterations of the outer loop.
    // CHECK-NEXT: :[[#@LINE+2]]:{{[0-9]+}} load global 4 argument 1 tid-invariant=no (depends on threadIdx) uniform=yes loops=[] (the address changes in the loop)
    // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} store shared 4 As tid-invariant=no (depends on threadIdx) uniform=yes loops=[{{%[0-9]+}}@1] static
    As[ty][tx] = A[row * n + t * T + tx];
    // CHECK-NEXT: :[[#@LINE+2]]:{{[0-9]+}} load global 4 argument 2 tid-invariant=no (depends on threadIdx) uniform=yes loops=[] (the address changes in the loop)
    // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} store shared 4 Bs tid-invariant=no (depends on threadIdx) uniform=yes loops=[{{%[0-9]+}}@1] static
    Bs[ty][tx] = B[(t * T + ty) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < T; ++k)
      // CHECK-NEXT: :[[#@LINE+2]]:{{[0-9]+}} load shared 4 As tid-invariant=no (depends on threadIdx) uniform=yes loops=[] (the address changes in the loop)
      // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} load shared 4 Bs tid-invariant=no (depends on threadIdx) uniform=yes loops=[] (the address changes in the loop)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} store global 4 argument 3 {{.*}} uniform=yes
  C[row * n + col] = sum;
}
