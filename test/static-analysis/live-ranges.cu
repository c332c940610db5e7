// Moves between device memory and shared memory, as people write them.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='print<gm-live-ranges>' -disable-output | FileCheck %s

#include <cuda_pipeline_primitives.h>

// CHECK-LABEL: live ranges of _Z6directPKfPf: 2{{$}}
__global__ void direct(const float *in, float *out) {
  __shared__ float tile[64];
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} begin tile 4 from argument 1{{$}}
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} end tile 4 to argument 2{{$}}
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// A halo: padding under a condition, also by a parameter.
// CHECK-LABEL: live ranges of _Z6paddedPKffPfi: 2{{$}}
__global__ void padded(const float *in, float fill, float *out, int n) {
  __shared__ float a[64], b[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  // CHECK-NEXT: begin a 4 from argument 1{{$}}
  a[threadIdx.x] = i < n ? in[i] : 0;
  // CHECK-NEXT: begin b 4 from argument 1{{$}}
  b[threadIdx.x] = i + 1 < n ? in[i + 1] : fill;
  __syncthreads();
  out[i] = a[threadIdx.x ^ 1] * b[threadIdx.x ^ 2];
}

// CHECK-LABEL: live ranges of _Z7vectorsPK6float4PS_Pf: 3{{$}}
__global__ void vectors(const float4 *in, float4 *out, float *sums) {
  __shared__ float4 whole[64];
  __shared__ float parts[4][64];
  // CHECK-NEXT: begin whole 16 from argument 1{{$}}
  whole[threadIdx.x] = in[threadIdx.x];
  const float4 v = in[threadIdx.x + 64];
  // CHECK-NEXT: begin parts 4 from argument 1{{$}}
  parts[0][threadIdx.x] = v.z;
  // One element is computed.
  parts[1][threadIdx.x] = v.x + v.y;
  __syncthreads();
  // CHECK-NEXT: end whole 16 to argument 2{{$}}
  out[threadIdx.x] = whole[threadIdx.x ^ 1];
  sums[threadIdx.x] = parts[0][threadIdx.x ^ 3] + parts[1][threadIdx.x ^ 5];
}

// CHECK-LABEL: live ranges of _Z10async_copyPKfPf: 2{{$}}
__global__ void async_copy(const float *in, float *out) {
  __shared__ float tile[64];
  // CHECK-NEXT: begin tile 4 from argument 1{{$}}
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  // CHECK-NEXT: end tile 4 to argument 2{{$}}
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// The next tile is loaded to a register while this one is used.
// CHECK-LABEL: live ranges of _Z15double_bufferedPKfPfi: 1{{$}}
__global__ void double_buffered(const float *in, float *out, int n) {
  __shared__ float tile[64];
  float next = in[threadIdx.x], sum = 0;
#pragma unroll 1
  for (int t = 1; t <= n; ++t) {
    // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} begin tile 4 from argument 1{{$}}
    tile[threadIdx.x] = next;
    __syncthreads();
    next = in[t * 64 + threadIdx.x];
    sum += tile[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum + next;
}

__device__ __noinline__ float fetch(const float *from, int i) { return from[i]; }
__device__ __noinline__ void put(float *to, int i, float value) { to[i] = value; }
__device__ __noinline__ float more(const float *from, int i) { return from[i] + 1; }
__device__ inline float inlined(const float *from, int i) { return from[i]; }

// The effect of a helper depends on its arguments.
// CHECK-LABEL: live ranges of _Z7helpersPKfPf: 4{{$}}
__global__ void helpers(const float *in, float *out) {
  __shared__ float a[64], b[64], c[64];
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} begin a 4 from argument 1{{$}}
  a[threadIdx.x] = fetch(in, threadIdx.x);
  // CHECK-NEXT: begin b 4 from argument 1 called={{.*}}:[[#@LINE+1]]:{{[0-9]+$}}
  put(b, threadIdx.x, in[threadIdx.x]);
  put(c, threadIdx.x, 1);
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} begin c 4 from argument 1{{$}}
  c[threadIdx.x + 1] = inlined(in, threadIdx.x);
  c[threadIdx.x] = more(in, threadIdx.x);
  __syncthreads();
  // CHECK-NEXT: end a 4 to argument 2 called={{.*}}:[[#@LINE+1]]:{{[0-9]+$}}
  put(out, threadIdx.x, fetch(a, threadIdx.x ^ 1));
  put(out, threadIdx.x + 64, more(b, threadIdx.x ^ 1) + c[0]);
}

// CHECK-LABEL: live ranges of _Z8computedPKfPKiPfPi: 0{{$}}
__global__ void computed(const float *in, const int *counts, float *out, int *counters) {
  __shared__ float a[64], b[64];
  __shared__ int c[64];
  a[threadIdx.x] = in[threadIdx.x] + 1;
  b[threadIdx.x] = counts[threadIdx.x]; // converted
  c[threadIdx.x] = atomicAdd(&counters[threadIdx.x], 1);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x ^ 1] * 2;
  out[threadIdx.x + 64] = -b[threadIdx.x ^ 1];
  atomicAdd(&counters[0], c[threadIdx.x ^ 1]);
  __syncthreads();
  a[threadIdx.x] = 0;
  c[threadIdx.x] = threadIdx.x;
}

// Sums in shared memory: the end is a move, though the moved data was computed.
// CHECK-LABEL: live ranges of _Z9reductionPKfPf: 2{{$}}
__global__ void reduction(const float *in, float *out) {
  __shared__ float sums[64];
  // CHECK-NEXT: begin sums 4 from argument 1{{$}}
  sums[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
#pragma unroll 1
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step)
      sums[threadIdx.x] += sums[threadIdx.x + step];
  }
  __syncthreads();
  // CHECK-NEXT: end sums 4 to argument 2{{$}}
  if (threadIdx.x == 1)
    out[blockIdx.x] = sums[0];
}
