// Clusters of the size in __cluster_dims__, in launches with <<<>>>. Each of the four blocks of
// exchange stores its words of `slots` once and loads the words of the other block of its cluster
// once. A grid of 4 x 2 blocks is two clusters of 2 x 2.
// BUILD: -O2 -g
// BUILD: -O2 -g -rdc=true
// BUILD: -O0 -g
// OPTIONS: profile=shared
// EXPECT: shared("exchange", "slots").counts == [2 * 4] * 64
// EXPECT: coverage["accesses"]["lost"] == 0
// EXPECT-OUTPUT: exchange: 200100 200163 200000 200300 200263
// EXPECT-OUTPUT: places: 400 401 400 401 402 403 402 403
// EXPECT-OUTPUT: places<4, 1>: 400 401 402 403 400 401 402 403
// EXPECT-OUTPUT: attributes: 1 2 2 1
// EXPECT-OUTPUT: no whole number of clusters: 912
#include "clusters.h"

__global__ void __cluster_dims__(2, 1, 1) exchange(int *out) {
  __shared__ volatile int slots[64];
  const cg::cluster_group cluster = cg::this_cluster();
  slots[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  const volatile int *other = cluster.map_shared_rank((int *)slots, cluster.block_rank() ^ 1);
  out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x] + 100000 * cluster.num_blocks();
  cluster.sync();
}

/// The declaration has the size, the definition the bounds.
template <int X, int Y> __global__ void __cluster_dims__(X, Y) places(int *out);
template <int X, int Y> __global__ void __launch_bounds__(32, 2) places(int *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    out[blockIdx.x + gridDim.x * blockIdx.y] = 100 * cluster.num_blocks() + cluster.block_rank();
}

static void printPlaces(const char *name, const int *out) {
  int host[8];
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%s:", name);
  for (int rank : host)
    std::printf(" %d", rank);
  std::printf("\n");
}

int main() {
  int *out = deviceInts(256), host[256];
  exchange<<<4, 64>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("exchange: %d %d %d %d %d\n", host[0], host[63], host[64], host[128], host[255]);
  places<2, 2><<<dim3(4, 2), 32>>>(out);
  printPlaces("places", out);
  places<4, 1><<<dim3(4, 2), 32>>>(out);
  printPlaces("places<4, 1>", out);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, places<2, 2>));
  std::printf("attributes: %d %d %d %d\n", attributes.clusterDimMustBeSet,
              attributes.requiredClusterWidth, attributes.requiredClusterHeight,
              attributes.requiredClusterDepth);
  places<2, 2><<<dim3(3, 2), 32>>>(out);
  std::printf("no whole number of clusters: %d\n", cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
