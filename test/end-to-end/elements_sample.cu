// Every fourth launch of a kernel is profiled: findings about elements state this.
// BUILD: -O2 -g
// OPTIONS: profile=elements:launch-sample=4
// EXPECT: [(f["severity"], f["object"]["name"]) for f in summary["findings"]
//     if f["pattern"] == "overallocation"] == [("low", "Part")]
// EXPECT: finding("overallocation", "Part")["launches"] == 8
// EXPECT: finding("overallocation", "Part")["launches_profiled"] == 2
// EXPECT: finding("overallocation", "Part")["accessed_elements"] == 200
// EXPECT: elements("Part")["sampled"]
// EXPECT: [d["peak_bytes_after"] for d in summary["memory"]["devices"]] == [4096]
#include "common.h"

__global__ void fill(int *to) { to[threadIdx.x] = 1; }

int main() {
  int *Part;
  CHECK(cudaMalloc(&Part, 1024 * sizeof(int)));
  for (int K = 0; K < 8; ++K)
    fill<<<1, 100>>>(Part + 100 * K);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(Part));
  printf("done\n");
}
