// Closed forms under guards: which threads execute an access.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O3 -g %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-closed-forms>' -disable-output | FileCheck %s

// CHECK-LABEL: closed forms of _Z5saxpyifPKfPf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 3 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 4 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 4 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

// The comparison is unsigned, and so are the indices.
// CHECK-LABEL: closed forms of _Z9unsigned_jPf:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param0 + -1*ntid.x*ctaid.x >= 0 if 0 <= tid.x + ntid.x*ctaid.x <= 4294967295 after 0 if 0 <= param0 <= 4294967295 after 0{{$}}
__global__ void unsigned_(unsigned n, float *y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 1;
}

// CHECK-LABEL: closed forms of _Z5earlyPfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param1 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4*tid.x where -1 + -1*tid.x + param1 + -1*ntid.x*ctaid.x >= 0, 6 + -1*tid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
__global__ void early(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = 1;
  if (threadIdx.x >= 7)
    return;
  y[threadIdx.x] = 2;
}

// Interior points of a grid, and the halo around them.
// CHECK-LABEL: closed forms of _Z7stencilPKfPfii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=-4 + 4*tid.x + 4*tid.y*param2 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param2 where -1 + tid.x + ntid.x*ctaid.x >= 0, -1 + tid.y + ntid.y*ctaid.y >= 0, -2 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0, -2 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= -1 + param2 <= 2147483647 after 2 if -2147483648 <= -1 + param3 <= 2147483647 after 3 if -2147483648 <= tid.x + tid.y*param2 + ntid.x*ctaid.x + ntid.y*ctaid.y*param2 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4 + 4*tid.x + 4*tid.y*param2 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param2 where -1 + tid.x + ntid.x*ctaid.x >= 0, -1 + tid.y + ntid.y*ctaid.y >= 0, -2 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0, -2 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= -1 + param2 <= 2147483647 after 2 if -2147483648 <= -1 + param3 <= 2147483647 after 3 if -2147483648 <= tid.x + tid.y*param2 + ntid.x*ctaid.x + ntid.y*ctaid.y*param2 <= 2147483647 after 4{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x + 4*tid.y*param2 + 4*ntid.x*ctaid.x + 4*ntid.y*ctaid.y*param2 where -1 + tid.x + ntid.x*ctaid.x >= 0, -1 + tid.y + ntid.y*ctaid.y >= 0, -2 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0, -2 + -1*tid.y + param3 + -1*ntid.y*ctaid.y >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= -1 + param2 <= 2147483647 after 2 if -2147483648 <= -1 + param3 <= 2147483647 after 3 if -2147483648 <= tid.x + tid.y*param2 + ntid.x*ctaid.x + ntid.y*ctaid.y*param2 <= 2147483647 after 4{{$}}
__global__ void stencil(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1];
}

// The launch alone decides; a disjunction of the thread's conditions; a switch.
// CHECK-LABEL: closed forms of _Z10conditionsPfiib:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=0 derived=[(-1 + param1 + -1*param2 >= 0), (-1 + param3 >= 0)] where -1 + derived0 + derived1 >= 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4 loops=[one, one, one] where 1 + -1*loop2 >= 0, 8589934597 + -1*tid.x + -8589934592*loop2 + -1*ntid.x*ctaid.x >= 0, -6 + tid.x + 8589934592*loop2 + ntid.x*ctaid.x >= 0, 1 + -1*loop1 >= 0, 8589934587 + tid.x + -8589934592*loop1 + ntid.x*ctaid.x >= 0, 4 + -1*tid.x + 8589934592*loop1 + -1*ntid.x*ctaid.x >= 0, 1 + -1*loop0 >= 0, 8589934591 + tid.x + -8589934592*loop0 + -1*param1 + ntid.x*ctaid.x >= 0, -1*tid.x + 8589934592*loop0 + param1 + -1*ntid.x*ctaid.x >= 0, -2 + loop0 + loop1 + loop2 >= 0 if -4294967295 <= 5 + -1*tid.x + -1*ntid.x*ctaid.x <= 4294967295 after 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 6{{$}}
// CHECK-NEXT: - store global 4 argument 1 rule=closed-form address=4 + 4*loop2 + 4*loop3 loops=[one, one, one, one] where 1 + -1*loop3 >= 0, 8589934601 + -1*tid.x + -8589934592*loop3 >= 0, -10 + tid.x + 8589934592*loop3 >= 0, 1 + -1*loop2 >= 0, 8589934583 + tid.x + -8589934592*loop2 >= 0, 8 + -1*tid.x + 8589934592*loop2 >= 0, 1 + -1*loop1 >= 0, 8589934595 + -1*tid.x + -8589934592*loop1 >= 0, -4 + tid.x + 8589934592*loop1 >= 0, 1 + -1*loop0 >= 0, 8589934589 + tid.x + -8589934592*loop0 >= 0, 2 + -1*tid.x + 8589934592*loop0 >= 0, -3 + loop0 + loop1 + loop2 + loop3 >= 0{{$}}
__global__ void conditions(float *y, int n, int m, bool flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > m || flag)
    y[0] = 1;
  if (i == 5 || i > n)
    y[1] = 2;
  switch (threadIdx.x) {
  case 3:
    y[2] = 3;
    break;
  case 9:
    y[3] = 4;
    break;
  }
}

// An index of two dimensions taken apart, a clamped one.
// CHECK-LABEL: closed forms of _Z8quotientPKfPfii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=-4*loop0 + 4*tid.x*loop0 + 4*ntid.x*ctaid.x*loop0 loops=[one] where -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, 1 + -1*loop0 >= 0, 8589934591 + tid.x + -8589934592*loop0 + ntid.x*ctaid.x >= 0, -1*tid.x + 8589934592*loop0 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=400*tid.x + -25596*loop0 + 400*ntid.x*ctaid.x loops=[one] where -1 + -1*tid.x + param3 + -1*ntid.x*ctaid.x >= 0, tid.x + -64*loop0 + ntid.x*ctaid.x >= 0, 63 + -1*tid.x + 64*loop0 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= 100*tid.x + -6399*loop0 + 100*ntid.x*ctaid.x <= 2147483647 after 3{{$}}
__global__ void quotient(const float *in, float *out, int w, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n)
    out[(t % 64) * 100 + t / 64] = in[max(t - 1, 0)];
}

// A minimum of a maximum.
// CHECK-LABEL: closed forms of _Z7clampedPKfPfi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=-4 + 4*tid.x + 4*loop0 + 4*loop1 + -4*tid.x*loop0 + -4*tid.x*loop1 + -4*loop0*loop1 + 4*loop0*param2 + 4*tid.x*loop0*loop1 loops=[one, one] where 1 + -1*loop1 >= 0, 8589934593 + -1*tid.x + -8589934592*loop1 >= 0, -2 + tid.x + 8589934592*loop1 >= 0, 1 + -1*loop0 >= 0, 8589934591 + tid.x + -8589934592*loop0 + loop1 + -1*param2 + -1*tid.x*loop1 >= 0, -1*tid.x + 8589934592*loop0 + -1*loop1 + param2 + tid.x*loop1 >= 0 if -8589934592 <= -1 + tid.x + loop1 + -1*param2 + -1*tid.x*loop1 <= 8589934591 after 3{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=closed-form address=4*tid.x{{$}}
__global__ void clamped(const float *in, float *out, int last) {
  out[threadIdx.x] = in[min(max((int)threadIdx.x - 1, 0), last)];
}

// Every other thread of the first 64: a mask of bits 0 and 6 to 31.
// CHECK-LABEL: closed forms of _Z5leavePi:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1 rule=closed-form address=4*tid.x loops=[one, one] where tid.x + -2*loop1 >= 0, 1 + -1*tid.x + 2*loop1 >= 0, tid.x + -64*loop0 >= 0, 63 + -1*tid.x + 64*loop0 >= 0, -1*tid.x + -64*loop0 + 2*loop1 >= 0{{$}}
__global__ void leave(int *out) {
  if (threadIdx.x % 2 || threadIdx.x >= 64)
    return;
  out[threadIdx.x] = 1;
}

// Accesses that depend on data must be counted.
// CHECK-LABEL: closed forms of _Z4dataPKiPii:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=counted closed=no (under a condition on data in memory) sweep=no (not in a loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load global 4 argument 1 rule=counted closed=no (under a condition on data in memory) sweep=no (not in a loop){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 2 rule=counted closed=no (the address depends on data in memory) sweep=no (not in a loop){{$}}
__global__ void data(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0)
    out[i] = 1;
  out[in[i]] = 2;
}

__device__ int table[1024];
struct Vector {
  int size;
  float *data;
};

// Memory of a variable of the module, and of a pointer in a struct.
// CHECK-LABEL: closed forms of _Z5bases6Vectori:
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 table rule=closed-form address=4*tid.x where -1 + -1*tid.x + param1 >= 0 if 0 <= param1 <= 4294967295 after 0{{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} load param 8 argument 1 rule=thread-invariant closed=no (not in shared or global memory) sweep=no (not in shared or global memory){{$}}
// CHECK-NEXT: {{:[0-9]+:[0-9]+}} store global 4 argument 1+8 rule=closed-form address=4*tid.x where -1 + -1*tid.x + param1 >= 0 if 0 <= param1 <= 4294967295 after 0{{$}}
__global__ void bases(Vector v, int n) {
  if (threadIdx.x < n) {
    table[threadIdx.x] = 1;
    v.data[threadIdx.x] = 1;
  }
}
