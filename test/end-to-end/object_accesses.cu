// Objects that kernels access. exact: the launch determines the accesses, including
// none for a launch without elements; or the kernel's clone recorded them, if they
// depend on data or on pointers from memory. inferred: the kernel calls an unknown
// function, so that only the targets of its parameters and the copied address are
// known.
// BUILD: -O2 -g
// BUILD: -O0 -g --gmprof-clones=compiled
// OPTIONS: profile=objects
// EXPECT: accesses("copy") == [("In", 2, 0, "exact"), ("Out", 0, 2, "exact")]
// EXPECT: accesses("add") ==
//     [("Out", 1, 1, "exact"), ("Total", 1, 0, "exact"), ("Sum", 0, 1, "exact")]
// EXPECT: accesses("when") == [("In", 2, 0, "exact"), ("Out", 0, 1, "exact")]
// EXPECT: accesses("chase") == [("Far", 0, 1, "exact"), ("Table", 1, 0, "exact")]
// EXPECT: accesses("call") == [("Far", 1, 1, "inferred"), ("Table", 1, 1, "inferred")]
// EXPECT: coverage["objects"]["launches_inferred"] == 1
#include "common.h"

struct Buffers {
  int *Out;
  const int *Total;
  int Count;
};
__device__ int Sum[32];

__global__ void copy(int *out, const int *in, int n) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < n)
    out[I] = in[I];
}

__global__ void add(Buffers b) {
  b.Out[threadIdx.x] += b.Total[threadIdx.x];
  Sum[threadIdx.x] = 1;
}

__global__ void when(int *out, const int *in, int limit) {
  if (in[threadIdx.x] > limit)
    out[threadIdx.x] = 0;
}

__global__ void chase(int **table) { table[0][threadIdx.x] = 1; }

__device__ void set(int **table) { table[0][0] = 2; }
__device__ void (*Callee)(int **) = set;
__global__ void call(int **table) { Callee(table); }

int main() {
  int *In, *Out, *Total, *Far, **Table;
  CHECK(cudaMalloc(&In, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Total, 32 * sizeof(int)));
  CHECK(cudaMalloc(&Far, 32 * sizeof(int)));
  CHECK(cudaMemset(Far, 0, 32 * sizeof(int)));
  CHECK(cudaMalloc(&Table, sizeof(int *)));
  CHECK(cudaMemset(In, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(Out, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(Total, 0, 32 * sizeof(int)));
  CHECK(cudaMemcpy(Table, &Far, sizeof(int *), cudaMemcpyHostToDevice));
  copy<<<2, 32>>>(Out, In, 64);
  copy<<<1, 32>>>(Out, In, 7);
  copy<<<1, 32>>>(Out, In, 0);
  add<<<1, 32>>>({Out, Total, 32});
  when<<<1, 32>>>(Out, In, 1000);
  when<<<1, 32>>>(Out, In, -1);
  chase<<<1, 32>>>(Table);
  call<<<1, 1>>>(Table);
  printResult("out", Out, 64);
}
