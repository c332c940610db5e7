// Shared arrays of templates, of member functions and lambdas, without -g.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 %s \
// RUN:   | %opt -passes='print<gm-variables>' -disable-output | FileCheck %s

namespace outer {
__device__ double table[8];
template <typename T, int N> struct Block {
  __device__ static T *storage() {
    __shared__ T buffer[N];
    return buffer;
  }
};
} // namespace outer

template <typename T, int N> __global__ void k(T *in) {
  __shared__ T tile[N][N + 1];
  tile[threadIdx.x][0] = in[threadIdx.x];
  T *b = outer::Block<T, N>::storage();
  b[threadIdx.x] = outer::table[threadIdx.x];
  auto f = [&] {
    __shared__ short flags[N];
    flags[threadIdx.x] = 1;
    __syncthreads();
    return flags[0];
  };
  __syncthreads();
  in[threadIdx.x] = tile[0][threadIdx.x] + b[0] + f();
}

// CHECK-LABEL: variables of _Z1kIfLi16EEvPT_:
// CHECK-NEXT: parameter argument 1 type=- bytes=0 element=4 -
// CHECK-NEXT: shared tile type=- bytes=1088 element=4 -
// CHECK-NEXT: global outer::table type=- bytes=64 element=8 -
// CHECK-NEXT: shared buffer type=- bytes=64 element=4 -
// CHECK-NEXT: shared flags type=- bytes=32 element=2 -
template __global__ void k<float, 16>(float *);
// CHECK-LABEL: variables of _Z1kIdLi8EEvPT_:
// CHECK-NEXT: parameter argument 1 type=- bytes=0 element=8 -
// CHECK-NEXT: shared tile type=- bytes=576 element=8 -
// CHECK-NEXT: global outer::table type=- bytes=64 element=8 -
// CHECK-NEXT: shared buffer type=- bytes=64 element=8 -
// CHECK-NEXT: shared flags type=- bytes=16 element=2 -
template __global__ void k<double, 8>(double *);
