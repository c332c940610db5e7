// Lines and functions of accesses: of inlined code where it was written, of the
// CUDA toolkit's code where it was called.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='print<gm-accesses>' -disable-output | FileCheck %s
#include <cuda_pipeline.h>

__device__ float helper(float *s) { return s[threadIdx.x ^ 1]; }

// CHECK-LABEL: accesses of _Z1kPfS_: 6{{$}}
__global__ void k(float *in, float *out) {
  __shared__ alignas(16) float s[256];
  // CHECK-NEXT: lines.cu:[[#@LINE+3]]:3 async-to shared 16 s tid
  // CHECK-NEXT: lines.cu:[[#@LINE+2]]:3 async-from global 16 argument 1 tid
  // clang-format off
  __pipeline_memcpy_async(&s[threadIdx.x * 4], &in[threadIdx.x * 4], 16);
  // clang-format on
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  // CHECK-NEXT: lines.cu:7:{{[0-9]+}} load shared 4 s in=helper tid
  // CHECK-NEXT: lines.cu:[[#@LINE+1]]:{{[0-9]+}} store global 4 argument 2 tid
  out[threadIdx.x] = helper(s);
  // CHECK-NEXT: lines.cu:[[#@LINE+2]]:{{[0-9]+}} atomic shared 4 s tid
  // CHECK-NEXT: lines.cu:[[#@LINE+1]]:{{[0-9]+}} store global 4 argument 2 tid
  out[threadIdx.x + 256] = atomicAdd(&s[threadIdx.x], 1.0f);
}
