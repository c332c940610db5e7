// A kernel of Thrust or CUB has findings about the layout of the program's data, not about its own
// shared memory, which the program cannot change.
// BUILD: -O2 -g
// OPTIONS: profile=shared,heat
// EXPECT: sorted((f["pattern"], f["kernel"]["name"].split("(")[0]) for f in summary["findings"]
//     if f["severity"] != "info")
//     == [("strided_access", "cub::stage"), ("strided_access", "program::stage"),
//         ("underused_shared_memory", "program::stage")]
// EXPECT-OUTPUT: 12

#include <cstdio>

struct Point {
  float x, y, z, w;
};

// The kernel in two namespaces: every block uses 1 KiB of 8 KiB, and one field of each point.
#define STAGE                                                                                      \
  __global__ void stage(const Point *points, float *sums) {                                        \
    __shared__ float tile[2048];                                                                   \
    tile[threadIdx.x] = points[blockIdx.x * 256 + threadIdx.x].y;                                  \
    __syncthreads();                                                                               \
    float sum = 0;                                                                                 \
    for (int i = 0; i < 4; ++i)                                                                    \
      sum += tile[(threadIdx.x + 64 * i) % 256];                                                   \
    sums[blockIdx.x * 256 + threadIdx.x] = sum;                                                    \
  }
namespace cub {
STAGE
}
namespace program {
STAGE
}

int main() {
  constexpr int N = 1024;
  Point *points;
  float *sums;
  cudaMallocManaged(&points, N * sizeof(Point));
  cudaMallocManaged(&sums, N * sizeof(float));
  for (int i = 0; i < N; ++i)
    points[i] = {1, 3, 1, 1};
  for (int i = 0; i < 4; ++i) {
    cub::stage<<<4, 256>>>(points, sums);
    program::stage<<<4, 256>>>(points, sums);
  }
  cudaDeviceSynchronize();
  printf("%.0f\n", sums[7]);
  cudaFree(points);
  cudaFree(sums);
}
