// The closed forms are the same at all levels of optimisation: at -O0 loops exit at their header,
// later at their latch.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O3 %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-closed-forms>' -disable-output | FileCheck %s
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O1 %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-closed-forms>' -disable-output | FileCheck %s
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O0 -Xclang -disable-O0-optnone %s \
// RUN:   | %opt -passes='function(sroa,early-cse,instcombine,infer-address-spaces,loop-simplify,loop-mssa(licm),print<gm-closed-forms>)' -disable-output | FileCheck --check-prefix=O0 %s

// CHECK-LABEL: closed forms of _Z7guardedPKfPfi:
// CHECK-NEXT: - load global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// CHECK-NEXT: - store global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// O0-LABEL: closed forms of _Z7guardedPKfPfi:
// O0-NEXT: - load global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
// O0-NEXT: - store global 4 argument 2 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x where -1 + -1*tid.x + param2 + -1*ntid.x*ctaid.x >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0{{$}}
__global__ void guarded(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i];
}

// CHECK-LABEL: closed forms of _Z10gridStridePfi:
// CHECK-NEXT: - store global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*ntid.x*nctaid.x*loop0 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.x + param1 + -1*ntid.x*ctaid.x >= 0, -1 + -1*tid.x + param1 + -1*ntid.x*ctaid.x + -1*ntid.x*nctaid.x*loop0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= tid.x + ntid.x*ctaid.x + ntid.x*nctaid.x + ntid.x*nctaid.x*loop0 <= 2147483647 after 2{{$}}
// O0-LABEL: closed forms of _Z10gridStridePfi:
// O0-NEXT: - store global 4 argument 1 rule=closed-form address=4*tid.x + 4*ntid.x*ctaid.x + 4*ntid.x*nctaid.x*loop0 loops=[{{%[0-9a-z.]+}}] where -1 + -1*tid.x + param1 + -1*ntid.x*ctaid.x + -1*ntid.x*nctaid.x*loop0 >= 0 if -2147483648 <= tid.x + ntid.x*ctaid.x <= 2147483647 after 0 if -2147483648 <= tid.x + ntid.x*ctaid.x + ntid.x*nctaid.x + ntid.x*nctaid.x*loop0 <= 2147483647 after 1{{$}}
__global__ void gridStride(float *y, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = 1;
}

// CHECK-LABEL: closed forms of _Z7columnsPVfi:
// CHECK-NEXT: - store global 4 argument 1 rule=closed-form address=4*tid.x + 4*loop0*param1 loops=[{{%[0-9a-z.]+}}] where -1 + param1 >= 0, -1 + -1*loop0 + param1 >= 0{{$}}
// O0-LABEL: closed forms of _Z7columnsPVfi:
// O0-NEXT: - store global 4 argument 1 rule=closed-form address=4*tid.x + 4*loop0*param1 loops=[{{%[0-9a-z.]+}}] where -1 + -1*loop0 + param1 >= 0 if 0 <= tid.x + loop0*param1 <= 4294967295 after 1{{$}}
__global__ void columns(volatile float *y, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    y[k * n + threadIdx.x] = 1;
}
