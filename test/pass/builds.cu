// The PTX of clones is accepted by ptxas at every level, with and without debug
// info, for all architectures, by both offload drivers; clones and descriptors
// are in the cubin.
// RUN: %clang-cuda -O0 --cuda-device-only -mllvm -gm-verify -c %s -o %t.o0
// RUN: llvm-readelf -sW %t.o0 | FileCheck %s
// RUN: %clang-cuda -O1 -g --cuda-device-only -mllvm -gm-verify -c %s -o %t.o1
// RUN: llvm-readelf -sW %t.o1 | FileCheck %s
// RUN: %clang-cuda -O2 -gline-tables-only --cuda-device-only -mllvm -gm-verify -c %s -o %t.o2
// RUN: llvm-readelf -sW %t.o2 | FileCheck %s
// RUN: %clang-cuda -O3 --cuda-device-only -mllvm -gm-verify -c %s -o %t.o3
// RUN: llvm-readelf -sW %t.o3 | FileCheck %s
// RUN: %clang-cuda --no-cuda-gpu-arch=all --cuda-gpu-arch=sm_75 -O2 --cuda-device-only -c %s -o %t.75
// RUN: llvm-readelf -sW %t.75 | FileCheck %s
// RUN: %clang-cuda -O2 -mllvm -gm-counter-bits=8 --cuda-device-only -mllvm -gm-verify -c %s -o %t.8
// RUN: %clang-cuda -O2 -mllvm -gm-counter-bits=16 --cuda-device-only -mllvm -gm-verify -c %s -o %t.16
// RUN: %clang-cuda -O2 -mllvm -gm-level=basic --cuda-device-only -mllvm -gm-verify -c %s -o %t.basic
// RUN: llvm-readelf -sW %t.basic | FileCheck %s --check-prefix=BASIC
// RUN: %clang-cuda --cuda-gpu-arch=sm_75 --no-offload-new-driver -O2 -c %s -o %t.old.o
// RUN: %clang-cuda --cuda-gpu-arch=sm_75 --offload-new-driver -O2 -c %s -o %t.new.o

// CHECK-DAG: OBJECT WEAK DEFAULT {{.*}} __gm_kernel__Z3rowPiS_i
// CHECK-DAG: FUNC GLOBAL DEFAULT {{.*}} _Z3rowPiS_i__gm_shared{{$}}
// CHECK-DAG: FUNC GLOBAL DEFAULT {{.*}} _Z3rowPiS_i__gm_shared_dm
// CHECK-DAG: OBJECT WEAK DEFAULT {{.*}} __gm_kernel__Z7reverseIiEvPT_
// CHECK-DAG: FUNC GLOBAL DEFAULT {{.*}} _Z7reverseIiEvPT___gm_shared_all
// CHECK-DAG: OBJECT WEAK DEFAULT {{.*}} __gm_kernel__ZL5plainPi
// CHECK-NOT: _ZL5plainPi__gm_shared
// CHECK-NOT: _Z7reverseIiEvPT___gm_shared_dm
// BASIC-DAG: FUNC GLOBAL DEFAULT {{.*}} _Z3rowPiS_i__gm_shared_dm
// BASIC-NOT: _Z3rowPiS_i__gm_shared{{$}}

struct Pair {
  int *In, *Out;
};

__device__ __noinline__ int pick(const int *Row, int I) { return Row[I]; }

__global__ void row(int *Out, int *In, int N) {
  extern __shared__ int Row[];
  __shared__ int4 Wide[64];
  int T = threadIdx.x;
  if (T >= N)
    return;
  Row[T] = In[T];
  Wide[T & 63] = make_int4(T, T, T, T);
  __syncthreads();
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Row[I] * Wide[T & 31].x;
  Out[T] = Sum + pick(Row, T ^ 1);
  atomicAdd(&Row[0], Sum);
}

template <class T> __global__ void __launch_bounds__(64) reverse(T *Data) {
  __shared__ T Tile[64];
  Tile[threadIdx.x] = Data[threadIdx.x];
  __syncthreads();
  Data[threadIdx.x] = Tile[63 - threadIdx.x];
}

static __global__ void plain(int *Out) { *Out = 1; }

void launches(int *P) {
  row<<<1, 64, 256>>>(P, P, 64);
  reverse<int><<<1, 64>>>(P);
  plain<<<1, 1>>>(P);
}
