// Which objects kernels access, as far as that is known before they run. exact: the launch
// determines it, also that a kernel for no elements accesses nothing. possible: it depends
// on data. inferred: a pointer comes from memory, and only the table that holds it is a
// parameter; of the other object nothing can be said.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=objects
// EXPECT: accesses("copy") == [("In", 2, 0, "exact"), ("Out", 0, 2, "exact")]
// EXPECT: accesses("add") ==
//     [("Out", 1, 1, "exact"), ("Total", 1, 0, "exact"), ("Sum", 0, 1, "exact")]
// EXPECT: accesses("when") == [("In", 1, 0, "possible"), ("Out", 1, 1, "possible")]
// EXPECT: accesses("chase") == [("Table", 1, 1, "inferred")]
// EXPECT: [f["pattern"] for f in summary["findings"] if f["object"]["name"] == "Far"]
//     == ["memory_leak"]
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

__global__ void when(int *out, const int *in) {
  if (in[threadIdx.x] > 1000)
    out[threadIdx.x] = 0;
}

__global__ void chase(int **table) { table[0][threadIdx.x] = 1; }

int main() {
  int *In, *Out, *Total, *Far, **Table;
  CHECK(cudaMalloc(&In, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Total, 32 * sizeof(int)));
  CHECK(cudaMalloc(&Far, 32 * sizeof(int)));
  CHECK(cudaMalloc(&Table, sizeof(int *)));
  CHECK(cudaMemset(In, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(Out, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(Total, 0, 32 * sizeof(int)));
  CHECK(cudaMemcpy(Table, &Far, sizeof(int *), cudaMemcpyHostToDevice));
  copy<<<2, 32>>>(Out, In, 64);
  copy<<<1, 32>>>(Out, In, 7);
  copy<<<1, 32>>>(Out, In, 0);
  add<<<1, 32>>>({Out, Total, 32});
  when<<<1, 32>>>(Out, In);
  chase<<<1, 32>>>(Table);
  printResult("out", Out, 64);
}
