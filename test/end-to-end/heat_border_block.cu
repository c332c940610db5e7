// A stencil whose block 0 lies outside of its interior, with the slowest index in threadIdx.x. All
// accesses have closed forms, so that the block in the middle of the grid, (0, 2, 4), stands for
// block 0. Each of its warps accesses a sector per lane in 30 lanes, with a stride of 8 * 8 * 4
// bytes. In `inside`, block 0 accesses memory and is described.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted((f["pattern"], f["object"]["name"], f["evidence"]["stride_bytes"])
//     for f in summary["findings"]) == [("strided_access", "In", 256),
//     ("strided_access", "Out", 256)]
// EXPECT: {k["name"]: k["heat"]["requests"] for k in summary["kernels"]}
//     == {"_Z6borderPKfPf": 4, "_Z6insidePf": 2}
// EXPECT-OUTPUT: 1
#include "common.h"

constexpr int X = 32, Y = 8, Z = 8;

__global__ void border(const float *In, float *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x, J = blockIdx.y * blockDim.y + threadIdx.y;
  const int K = blockIdx.z;
  if (I < 1 || J < 1 || K < 1 || I >= X - 1 || J >= Y - 1 || K >= Z - 1)
    return;
  const int At = (I * Y + J) * Z + K;
  Out[At] = In[At] + 1;
}

__global__ void inside(float *Out) { Out[blockIdx.x * 64 + threadIdx.x] = 1; }

int main() {
  float *In, *Out, First;
  CHECK(cudaMalloc(&In, X * Y * Z * sizeof(float)));
  CHECK(cudaMalloc(&Out, X * Y * Z * sizeof(float)));
  CHECK(cudaMemset(In, 0, X * Y * Z * sizeof(float)));
  inside<<<X * Y * Z / 64, 64>>>(Out);
  border<<<dim3(1, Y / 2, Z), dim3(32, 2)>>>(In, Out);
  CHECK(cudaMemcpy(&First, Out + (Y + 1) * Z + 1, sizeof First, cudaMemcpyDeviceToHost));
  printf("%.0f\n", First);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
