// Closed forms and sweeps in kernels as people write them.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-closed-forms>' -disable-output | FileCheck %s

constexpr int T = 16;

// blockDim is (32, 8).
// CHECK-LABEL: closed forms of _Z9transposePKfPfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*tid.x + 128*ctaid.x + 4*tid.y*param2 + 128*ctaid.y*param2 + 32*loop0*param2 loops=[{{%[0-9a-z.]+}}] where 31 + -8*loop0 >= 0 if -2147483648 <= tid.x + 32*ctaid.x + tid.y*param2 + 32*ctaid.y*param2 + 8*loop0*param2 <= 2147483647 after 1{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store shared 4 tile rule=closed-form address=4*tid.x + 132*tid.y + 1056*loop0 loops=[{{%[0-9a-z.]+}}] where 31 + -8*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 tile rule=closed-form address=132*tid.x + 4*tid.y + 32*loop0 loops=[{{%[0-9a-z.]+}}] where 31 + -8*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x + 128*ctaid.y + 4*tid.y*param2 + 128*ctaid.x*param2 + 32*loop0*param2 loops=[{{%[0-9a-z.]+}}] where 31 + -8*loop0 >= 0 if -2147483648 <= tid.x + 32*ctaid.y + tid.y*param2 + 32*ctaid.x*param2 + 8*loop0*param2 <= 2147483647 after 1{{$}}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// CHECK-LABEL: closed forms of _Z5tiledPKfS0_Pfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*tid.x + 64*loop0 + 4*tid.y*param3 + 64*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop0 + derived0 >= 0 if -2147483648 <= tid.x + 16*loop0 + tid.y*param3 + 16*ctaid.y*param3 <= 2147483647 after 2{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store shared 4 As rule=closed-form address=4*tid.x + 64*tid.y loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop0 + derived0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 64*ctaid.x + 4*tid.y*param3 + 64*loop0*param3 loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop0 + derived0 >= 0 if -2147483648 <= tid.x + 16*ctaid.x + tid.y*param3 + 16*loop0*param3 <= 2147483647 after 2{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store shared 4 Bs rule=closed-form address=4*tid.x + 64*tid.y loops=[{{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop0 + derived0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 As rule=closed-form address=64*tid.y + 4*loop0 loops=[{{%[0-9a-z.]+}}, {{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop1 + derived0 >= 0, 15 + -1*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 Bs rule=closed-form address=4*tid.x + 64*loop0 loops=[{{%[0-9a-z.]+}}, {{%[0-9a-z.]+}}] derived=[(param3) / (16)] where -16 + param3 >= 0, -1 + -1*loop1 + derived0 >= 0, 15 + -1*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 3 rule=closed-form address=4*tid.x + 64*ctaid.x + 4*tid.y*param3 + 64*ctaid.y*param3 if -2147483648 <= tid.x + 16*ctaid.x + tid.y*param3 + 16*ctaid.y*param3 <= 2147483647 after 0{{$}}
__global__ void tiled(const float *A, const float *B, float *C, int n) {
  __shared__ float As[T][T], Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < n / T; ++t) {
    As[ty][tx] = A[row * n + t * T + tx];
    Bs[ty][tx] = B[(t * T + ty) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < T; ++k)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

// CHECK-LABEL: closed forms of _Z5naivePKfS0_Pfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] where -1 + param3 >= 0, -1 + -1*loop0 + param3 >= 0 if 0 <= tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 2{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*loop0*param3 loops=[{{%[0-9a-z.]+}}] where -1 + param3 >= 0, -1 + -1*loop0 + param3 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x + loop0*param3 <= 2147483647 after 2{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 3 rule=closed-form address=4*tid.x + 4*tid.y*param3 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param3 if -2147483648 <= tid.x + tid.y*param3 + ntid.x*ctaid.x + ntid.y*ctaid.y*param3 <= 2147483647 after 0{{$}}
__global__ void naive(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// CHECK-LABEL: closed forms of _Z6jacobiPKfPf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4 + 4*tid.x + 1032*tid.y + 64*ctaid.x + 16512*ctaid.y if -2147483648 <= 1 + tid.x + 258*tid.y + 16*ctaid.x + 4128*ctaid.y <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=2068 + 4*tid.x + 1032*tid.y + 64*ctaid.x + 16512*ctaid.y if -2147483648 <= 517 + tid.x + 258*tid.y + 16*ctaid.x + 4128*ctaid.y <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=1032 + 4*tid.x + 1032*tid.y + 64*ctaid.x + 16512*ctaid.y if -2147483648 <= 258 + tid.x + 258*tid.y + 16*ctaid.x + 4128*ctaid.y <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=1040 + 4*tid.x + 1032*tid.y + 64*ctaid.x + 16512*ctaid.y if -2147483648 <= 259 + tid.x + 258*tid.y + 16*ctaid.x + 4128*ctaid.y <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=1036 + 4*tid.x + 1032*tid.y + 64*ctaid.x + 16512*ctaid.y if -2147483648 <= 259 + tid.x + 258*tid.y + 16*ctaid.x + 4128*ctaid.y <= 2147483647 after 0{{$}}
__global__ void jacobi(const float *in, float *out) {
  constexpr int Pitch = 258;
  int col = blockIdx.x * T + threadIdx.x + 1, row = blockIdx.y * T + threadIdx.y + 1;
  out[row * Pitch + col] = 0.25f * (in[(row - 1) * Pitch + col] + in[(row + 1) * Pitch + col] +
                                    in[row * Pitch + col - 1] + in[row * Pitch + col + 1]);
}

// CHECK-LABEL: closed forms of _Z7guardedPKfS0_Pfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*loop0 + 4*tid.y*param3 + 4*ntid.y*ctaid.y*param3 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -1 + -1*loop0 + param3 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if 0 <= tid.y*param3 + ntid.y*ctaid.y*param3 <= 4294967295 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*loop0*param3 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, -1 + -1*loop0 + param3 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + ntid.x*ctaid.x + loop0*param3 <= 2147483647 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 3 rule=closed-form address=4*tid.x + 4*tid.y*param3 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param3 where -1 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0, -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 1 if -2147483648 <= tid.x + tid.y*param3 + ntid.x*ctaid.x + ntid.y*ctaid.y*param3 <= 2147483647 after 2{{$}}
__global__ void guarded(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// A row of a sparse matrix: where it starts and ends depends on data.
// CHECK-LABEL: closed forms of _Z4spmvPKiS0_PKfS2_Pf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: - load global 4 argument 1 rule=closed-form address=4 + 4*tid.x + 4*ntid.x*ctaid.x if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 3 rule=sweep start=((4 * (sext i32 {{%[0-9a-z.]+}} to i64))<nsw> + {{%[0-9a-z.]+}}) stride=4 trips=(-1 + (-1 * {{%[0-9a-z.]+}}) + {{%[0-9a-z.]+}}) + 1 closed=no (under a condition on data in memory){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=sweep start=((4 * (sext i32 {{%[0-9a-z.]+}} to i64))<nsw> + {{%[0-9a-z.]+}}) stride=4 trips=(-1 + (-1 * {{%[0-9a-z.]+}}) + {{%[0-9a-z.]+}}) + 1 closed=no (under a condition on data in memory){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 4 rule=counted closed=no (under a condition on data in memory) sweep=no (the address does not change evenly in the loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 5 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
__global__ void spmv(const int *rows, const int *cols, const float *vals, const float *x,
                     float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = rows[row]; i < rows[row + 1]; ++i)
    sum += vals[i] * x[cols[i]];
  y[row] = sum;
}

// CHECK-LABEL: closed forms of _Z7shapelyPiS_ji:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store shared 4 s rule=closed-form address=4*tid.x + 4*tid.y*ntid.x{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=252 + -4*tid.x{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=counted closed=no (the index may wrap around) sweep=no (not in a loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=20 + 4*tid.x + -128*loop0 loops=[one] where 5 + tid.x + -32*loop0 >= 0, 26 + -1*tid.x + 32*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=8{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=400*tid.x + -262144*loop0 loops=[one] where 25*tid.x + -16384*loop0 >= 0, 16383 + -25*tid.x + 16384*loop0 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=12{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 2 rule=closed-form address=4*tid.x{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=counted closed=no (the address depends on data in memory) sweep=no (not in a loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=16{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=4*tid.x*tid.y{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=20{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=4*tid.x + 4*param2 if 0 <= tid.x + param2 <= 4294967295 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=24{{$}}
__global__ void shapely(int *out, int *data, unsigned u, int shift) {
  __shared__ int s[1024];
  s[threadIdx.y * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  out[0] = s[63 - (int)threadIdx.x];
  out[1] = s[63 - threadIdx.x];
  out[2] = s[(threadIdx.x + 5) % 32];
  out[3] = s[(unsigned short)(threadIdx.x * 100)];
  out[4] = s[data[threadIdx.x]];
  out[5] = s[threadIdx.x * threadIdx.y];
  out[6] = s[threadIdx.x + u];
}

// CHECK-LABEL: closed forms of _Z5smallPi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store shared 4 s rule=closed-form address=4*tid.x{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load shared 4 s rule=closed-form address=252 + -4*tid.x{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=0{{$}}
__global__ void __launch_bounds__(64) small(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[0] = s[63 - threadIdx.x];
}
