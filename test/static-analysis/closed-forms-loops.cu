// Closed forms in loops after clang -O3: rotated, unrolled by 4 or 8.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O3 -g %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-closed-forms>' -disable-output | FileCheck %s

// The four of the unrolled loop, n / 4 times; then n % 4 times the remaining one.
// CHECK-LABEL: closed forms of _Z3rowPKfPfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 1 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=8 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 2 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=12 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 3 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=16 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 4 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=20 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 5 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=24 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 6 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=28 + 32*loop0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -8 + param2 >= 0, -1 + -8*loop0 + 8*derived0 >= 0 if 0 <= 7 + 8*loop0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*loop0 + 32*derived0 + 4*tid.x*param2 loops=[{{%[0-9a-z.]+}}] derived=[(param2) / (8)] where -1 + param2 >= 0, -1 + param2 + -8*derived0 >= 0, -1 + -1*loop0 + param2 + -8*derived0 >= 0 if 0 <= loop0 + 8*derived0 + tid.x*param2 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x{{$}}
__global__ void row(const float *A, float *sums, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[threadIdx.x * n + k];
  sums[threadIdx.x] = sum;
}

// CHECK-LABEL: closed forms of _Z6matmulPKfS0_Pfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=16*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 16*loop0*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + ntid.x*ctaid.x + 4*loop0*param3 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4 + 16*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= 1 + tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 4*param3 + 4*ntid.x*ctaid.x + 16*loop0*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + param3 + ntid.x*ctaid.x + 4*loop0*param3 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=8 + 16*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= 2 + tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 8*param3 + 4*ntid.x*ctaid.x + 16*loop0*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + 2*param3 + ntid.x*ctaid.x + 4*loop0*param3 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=12 + 16*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= 3 + 4*loop0 + tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 12*param3 + 4*ntid.x*ctaid.x + 16*loop0*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -4 + param3 >= 0, -1 + -4*loop0 + 4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + 3*param3 + ntid.x*ctaid.x + 4*loop0*param3 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*loop0 + 16*derived0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -1 + param3 + -4*derived0 >= 0, -1 + -1*loop0 + param3 + -4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*loop0*param3 + 16*param3*derived0 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (4)] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -1 + param3 + -4*derived0 >= 0, -1 + -1*loop0 + param3 + -4*derived0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + ntid.x*ctaid.x + loop0*param3 + 4*param3*derived0 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 3 rule=closed-form address=4*tid.x + 4*tid.y*param3 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param3 where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + tid.y*param3 + ntid.x*ctaid.x + ntid.y*ctaid.y*param3 <= 2147483647 after 2{{$}}
__global__ void matmul(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// CHECK-LABEL: closed forms of _Z10gridStrideiPf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*ntid.x*nctaid.x*loop0 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0, -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x + -1*ntid.x*nctaid.x*loop0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= tid.x + ntid.x*ctaid.x + ntid.x*nctaid.x + ntid.x*nctaid.x*loop0 <= 2147483647 after 2{{$}}
__global__ void gridStride(int n, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = 1;
}

// CHECK-LABEL: closed forms of _Z10triangularPKfPfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*loop0 + 4*tid.x*param2 + 4*ntid.x*ctaid.x*param2 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0, tid.x + -1*loop0 + ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= loop0 + tid.x*param2 + ntid.x*ctaid.x*param2 <= 2147483647 after 2{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
__global__ void triangular(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j <= i; ++j)
    sum += in[i * n + j];
  out[i] = sum;
}

// Its trip count is not a multiple of what the thread has.
// CHECK-LABEL: closed forms of _Z8unrolledPKfPf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=8*loop1 loops=[one, {{%[0-9a-z.]+}}] where -1 + tid.x >= 0, -2 + tid.x >= 0, tid.x + -2*loop0 >= 0, 1 + -1*tid.x + 2*loop0 >= 0, -1 + 2*loop0 + -2*loop1 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4 + 8*loop1 loops=[one, {{%[0-9a-z.]+}}] where -1 + tid.x >= 0, -2 + tid.x >= 0, tid.x + -2*loop0 >= 0, 1 + -1*tid.x + 2*loop0 >= 0, -1 + 2*loop0 + -2*loop1 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=8*loop0 loops=[one] where -1 + tid.x >= 0, tid.x + -2*loop0 >= 0, 1 + -1*tid.x + 2*loop0 >= 0, -1 + tid.x + -2*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x{{$}}
__global__ void unrolled(const float *in, float *out) {
  float sum = 0;
#pragma unroll 2
  for (unsigned j = 0; j < threadIdx.x; ++j)
    sum += in[j];
  out[threadIdx.x] = sum;
}

// The first iteration whatever n is; backwards; a step that is a parameter.
// CHECK-LABEL: closed forms of _Z6shapesPVfii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4*loop0 loops=[{{%[0-9a-z.]+}}] derived=[(-1 + param1 >= 0)] where -1*loop0 + -1*derived0 + param1*derived0 >= 0 if 0 <= -1*derived0 + param1*derived0 <= 4294967295 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=-4 + -4*loop0 + 4*param1 loops=[{{%[0-9a-z.]+}}] where -1 + param1 >= 0, -1 + -1*loop0 + param1 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4*loop0*param2 loops=[{{%[0-9a-z.]+}}] where -1 + param1 >= 0, -1 + param1 + -1*loop0*param2 >= 0 if -4611686018427387904 <= -1*param2 <= -1 after 1 if -2147483648 <= param2 + loop0*param2 <= 2147483647 after 2{{$}}
__global__ void shapes(volatile float *y, int n, int step) {
  int i = 0;
#pragma unroll 1
  do {
    y[i] = 1;
  } while (++i < n);
#pragma unroll 1
  for (int j = n - 1; j >= 0; --j)
    y[j] = 2;
#pragma unroll 1
  for (int j = 0; j < n; j += step)
    y[j] = 3;
}

// CHECK-LABEL: closed forms of _Z6brokenPViPKii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=thread-invariant closed=no (the trip count depends on data in memory) sweep=no (the trip count is not known before the loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=thread-invariant closed=no (the trip count depends on data in memory) sweep=no (the trip count is not known before the loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=thread-invariant closed=no (under a condition on data in memory) sweep=no (the trip count is not known before the loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=loop-invariant closed=no (under a condition on data in memory){{$}}
__global__ void broken(volatile int *y, const int *data, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    y[i] = 1;
    if (y[i + 1] == 7)
      break;
  }
#pragma unroll 1
  for (int i = 0; i < data[0]; ++i)
    y[i] = 2;
}

// The taken exit of the loop depends on data, though the block after it does not.
// CHECK-LABEL: closed forms of _Z5foundPVKiPii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=thread-invariant closed=no (the trip count depends on data in memory) sweep=no (the trip count is not known before the loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=counted closed=no (the address is not a polynomial of what the launch determines) sweep=no (not in a loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x{{$}}
__global__ void found(volatile const int *in, int *out, int n) {
  int where = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    if (in[i] == 7) {
      where = 1;
      break;
    }
  out[where] = 2;
  out[threadIdx.x] = 3;
}
