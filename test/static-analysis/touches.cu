// Objects that kernels access: those known before they run, and those to search.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='infer-address-spaces,loop-simplify,print<gm-touches>' -disable-output \
// RUN:   | FileCheck %s

struct Node {
  int *data;
  Node *next;
};

// Executed by each thread; or under a condition that the launch determines. The index of what
// is gathered comes from memory, but whether anything is does not.
// CHECK-LABEL: touches of _Z6gatheriPKiPKfPf:
// CHECK-NEXT: reads argument 2 determined closed-form address=0 where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0
// CHECK-NEXT: reads argument 3 determined closed-form address=0 where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0
// CHECK-NEXT: writes argument 4 determined closed-form address=0 where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0
// CHECK-NEXT: touches of
__global__ void gather(int n, const int *index, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[index[i]];
}
// CHECK-SAME: _Z4whenPiPKi:
// CHECK-NEXT: reads argument 2 always
// CHECK-NEXT: writes argument 1 flagged in
// CHECK-NEXT: touches of
__global__ void when(int *out, const int *in) {
  if (in[threadIdx.x] > 1000)
    out[threadIdx.x] = 0;
}

// Both ways write it: that is certain, and of the two others one is.
// CHECK-SAME: _Z6eitherPiS_PKi:
// CHECK-NEXT: reads argument 3 always
// CHECK-NEXT: writes argument 1 always
// CHECK-NEXT: writes argument 2 flagged in
// CHECK-NEXT: touches of
__global__ void either(int *out, int *other, const int *in) {
  if (in[threadIdx.x] > 1000) {
    other[threadIdx.x] = 1;
    out[threadIdx.x] = 0;
  } else {
    out[threadIdx.x + 1] = 7;
  }
}

// In front of the loop over a row, which is entered if the row is not empty.
// CHECK-SAME: _Z4rowsiPKiPKfPf:
// CHECK-NEXT: reads argument 2 determined
// CHECK-NEXT: reads argument 3 flagged in %.preheader
// CHECK-NEXT: writes argument 4 determined
// CHECK-NEXT: touches of
__global__ void rows(int n, const int *first, const float *value, float *sum) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  float s = 0;
#pragma clang loop unroll(disable)
  for (int j = first[r]; j < first[r + 1]; ++j)
    s += value[j];
  sum[r] = s;
}

// A pointer that is loaded once is searched once, in front of the loop.
// CHECK-SAME: _Z5chasePPii:
// CHECK-NEXT: reads argument 1 always
// CHECK-NEXT: writes - searched in %[[#]] address=%[[#]]
// CHECK-NEXT: touches of
__global__ void chase(int **table, int n) {
  int *p = table[blockIdx.x];
#pragma clang loop unroll(disable)
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = 1;
}

// The list's own pointer gets a value in each iteration; its two members are in one object. What
// it leads to is searched once for the load and the store.
// CHECK-SAME: _Z4walkPK4Nodei:
// CHECK-NEXT: reads - searched in %[[#]] address=%[[#]]
// CHECK-NEXT: reads,writes - searched in %[[#]] address=%[[#]]
// CHECK-NEXT: touches of
__global__ void walk(const Node *list, int n) {
  for (; list; list = list->next)
    if (threadIdx.x < n)
      list->data[threadIdx.x] += 1;
}

// Accesses on paths that end the kernel by a trap are ignored.
// CHECK-SAME: _Z5trapsPiS_i:
// CHECK-NEXT: reads argument 2 determined
// CHECK-NEXT: writes argument 1 always
// CHECK-NEXT: touches of
__global__ void traps(int *out, int *in, int n) {
  if (n < 0) {
    if (in[0] > 0)
      __trap();
  }
  out[threadIdx.x] = 1;
}

// Addresses of shared memory are no objects; but a pointer may point to either memory.
// CHECK-SAME: _Z6sharedPii:
// CHECK-NEXT: reads argument 1 always
// CHECK-NEXT: writes argument 1 flagged in
__global__ void shared(int *p, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  if (tile[0] == n)
    p[0] = tile[31 - threadIdx.x];
}

// A device function does not know what its parameters point to.
// CHECK-LABEL: touches of _Z3sumPKii:
// CHECK-NEXT: reads - searched in %.preheader address=%0
// CHECK-LABEL: touches of _Z5callsPKiPii:
// CHECK-NEXT: writes argument 2 always
__device__ __noinline__ int sum(const int *p, int n) {
  int s = 0;
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; ++i)
    s += p[i];
  return s;
}
__global__ void calls(const int *in, int *out, int n) { out[threadIdx.x] = sum(in, n); }

// Tables of libdevice are no objects, in any kernel: cos has one.
// CHECK-LABEL: touches of _Z4waved:
// CHECK-NEXT: touches of _Z5wavesPd:
// CHECK-NEXT: reads,writes argument 1 always
__device__ __noinline__ double wave(double x) { return cos(x); }
__global__ void waves(double *x) { x[threadIdx.x] = cos(x[threadIdx.x]) + wave(threadIdx.x); }
