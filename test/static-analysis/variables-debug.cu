// Names, types, lines and element sizes from debug info.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O0 -g %s \
// RUN:   | %opt -passes='print<gm-variables>' -disable-output | FileCheck %s
// The same after promotion to registers: parameters are arguments again.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O0 -g %s \
// RUN:   | sed 's/ optnone//' \
// RUN:   | %opt -passes='sroa,print<gm-variables>' -disable-output | FileCheck %s --check-prefix=PROMOTED

struct Particle {
  float x, y, z;
};
typedef float row[8];
namespace ns {
__device__ Particle all[4];
}
struct Args {
  int n;
  const double *data;
};
extern __shared__ float4 dyn[];

// CHECK-LABEL: variables of _Z1kPKf4Args:
// CHECK-DAG: shared tile type=row[4] bytes=128 element=4 {{.*}}variables-debug.cu:[[#@LINE+16]]
// CHECK-DAG: shared one type=Particle bytes=12 element=12 {{.*}}variables-debug.cu:[[#@LINE+16]]
// CHECK-DAG: shared some type=Particle[3] bytes=36 element=12 {{.*}}variables-debug.cu:[[#@LINE+16]]
// CHECK-DAG: shared flag type=volatile unsigned int bytes=4 element=4 {{.*}}variables-debug.cu:[[#@LINE+16]]
// CHECK-DAG: shared pointers type=const float *[2] bytes=16 element=8 {{.*}}variables-debug.cu:[[#@LINE+16]]
// CHECK-DAG: global ns::all type=Particle[4] bytes=48 element=12 {{.*}}variables-debug.cu:14
// CHECK-DAG: dynamic-shared dyn type=- bytes=0 element=16 -
// CHECK-DAG: local in type=const float * bytes=8 element=8 {{.*}}variables-debug.cu:[[#@LINE+8]]
// CHECK-DAG: parameter args type=Args bytes=16 element=16 {{.*}}variables-debug.cu:[[#@LINE+7]]

// PROMOTED-LABEL: variables of _Z1kPKf4Args:
// PROMOTED-DAG: parameter in type=const float * bytes=0 element=4 {{.*}}variables-debug.cu:[[#@LINE+4]]
// PROMOTED-DAG: parameter args type=Args bytes=16 element=16 {{.*}}variables-debug.cu:[[#@LINE+3]]
// PROMOTED-DAG: parameter args.data type=const double * bytes=0 element=8 {{.*}}variables-debug.cu:[[#@LINE+2]]

__global__ void k(const float *in, Args args) {
  __shared__ row tile[4];
  __shared__ Particle one;
  __shared__ Particle some[3];
  __shared__ volatile unsigned flag;
  __shared__ const float *pointers[2];
  one.x = in[0];
  tile[0][threadIdx.x] = one.x;
  some[2].z = tile[0][1];
  flag = args.n;
  pointers[1] = in;
  ns::all[1].y = pointers[1][2] + some[0].x + args.data[1];
  dyn[3] = make_float4(0, 0, 0, ns::all[0].x);
}
