// Unoptimised code keeps everything in local memory. The analysis finds less, and is still
// correct.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O0 -g %s \
// RUN:   | %opt -passes='print<gm-accesses>' -disable-output | grep -v 'load local\|store local' | FileCheck %s

// CHECK-LABEL: accesses of _Z1kPiS_i:
__global__ void k(int *in, int *out, int n) {
  __shared__ int s[64];
  __shared__ int first;
  // The loop's counter is in local memory: threads may leave it as they like.
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}} store shared 4 s tid-invariant=no (depends on a load from local memory) uniform=no (in a loop that threads leave at different iterations) loops=[] (the address changes in the loop)
    s[i] = 0;
  // CHECK-DAG: :[[#@LINE+2]]:{{[0-9]+}} load generic 4 - tid-invariant=no (depends on a load from local memory) uniform=yes
  // CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}} store shared 4 first+0 tid-invariant=yes uniform=yes loops=[] static=1
  first = in[0];
  __syncthreads();
  if (threadIdx.x == 0)
    // CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}} load shared 4 first tid-invariant=yes uniform=no (some threads may have returned before) loops=[] static=no
    out[0] = first;
}
