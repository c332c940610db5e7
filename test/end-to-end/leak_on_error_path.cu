// A temporary that is freed unless a step fails: it is to be freed where the step returns early.
// A release after `fill`, which uses the leaked ones last, would free the others twice; memory of
// `data` for the last one would be overwritten by those before it. Once the leak is mended, no
// allocation can reuse another.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [f for f in summary["findings"] if f["pattern"] == "redundant_allocation"] == []
// EXPECT: summary["findings"][0]["pattern"] == "memory_leak"
// EXPECT: summary["findings"][0]["bytes_saved"] == 8192
// EXPECT: [f["suggestion"] for f in summary["findings"] if f["pattern"] == "memory_leak"]
//     == ["Free it on the path that skips cudaFree (leak_on_error_path.cu:30), which frees 6 other
//     "
//         "allocations of this call site."]
// EXPECT-OUTPUT: 3 failed, sum 21
#include "common.h"

__global__ void fill(float *t, float v) { t[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void add(float *d, const float *t) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  d[I] += t[I];
}

static bool process(float *data, int Round) {
  float *tmp;
  CHECK(cudaMalloc(&tmp, 4096));
  fill<<<4, 256>>>(tmp, static_cast<float>(Round));
  if (Round % 3 == 2)
    return false;
  add<<<4, 256>>>(data, tmp);
  CHECK(cudaFree(tmp));
  return true;
}

int main() {
  float *data, First;
  CHECK(cudaMalloc(&data, 4096));
  CHECK(cudaMemset(data, 0, 4096));
  int Failed = 0;
  for (int Round = 0; Round < 9; ++Round)
    Failed += !process(data, Round);
  CHECK(cudaMemcpy(&First, data, sizeof(First), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  printf("%d failed, sum %.0f\n", Failed, First);
}
