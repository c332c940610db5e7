// Clusters of blocks: what they know of each other, their barrier, and what they do in each
// other's shared memory. Counted is what a block does in its own.
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// BUILD: -O0 -g
// OPTIONS: profile=shared
// EXPECT: shared("ring", "slots").blocks == 8 + 8 + 64
// EXPECT: shared("ring", "slots").counts == [2 * (8 + 8 + 64) + 4 * 8] * 32
// EXPECT-OUTPUT: places: 0 1 0 1 0 1 0 1 2 3 2 3 2 3 2 3
// EXPECT-OUTPUT: ring of 1: 1 21094
// EXPECT-OUTPUT: ring of 8: 5010 7196
// EXPECT-OUTPUT: ring of 4: 3003 243127
// EXPECT-OUTPUT: invalid: 912 912 0
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void places(int *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 0)
    out[block] = cluster.block_rank();
}

/// Each block takes what the next one of its cluster has, in some rounds, and sums it up, also of
/// all blocks at the first one's.
__global__ void ring(int *out, int rounds) {
  __shared__ volatile int slots[32];
  __shared__ int sum;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
  volatile int *next = cluster.map_shared_rank((int *)slots, (rank + 1) % size);
  int total = 0, mine = blockIdx.x * 1000 + threadIdx.x;
  if (threadIdx.x == 0)
    sum = 0;
  slots[threadIdx.x] = mine;
  cluster.sync();
  total += slots[threadIdx.x];
  for (int round = 0; round < rounds; ++round) {
    mine = next[threadIdx.x];
    total += mine;
    cluster.sync();
    next[threadIdx.x] = mine + 1; // the next one's slot, of which this is the only writer
    cluster.sync();
  }
  atomicAdd(cluster.map_shared_rank(&sum, 0), total);
  if (threadIdx.x >= 16 && rank == 1)
    return; // threads that have exited are not waited for
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = total;
  if (rank == 0 && threadIdx.x == 0)
    out[gridDim.x * 32 + blockIdx.x / size] = sum;
}

template <typename... Parameters>
static cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 cluster,
                          Parameters... values) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, values...);
}

static void clear(int *out) { CHECK(cudaMemset(out, 0, 4096 * sizeof(int))); }

int main() {
  int *out = deviceInts(4096), host[4096];
  clear(out);
  CHECK(launch(places, dim3(4, 2, 2), dim3(2, 1, 2), out));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("places:");
  for (int block = 0; block < 16; ++block)
    std::printf(" %d", host[block]);
  std::printf("\n");
  struct {
    unsigned blocks, size;
    int rounds;
  } runs[] = {{8, 1, 2}, {8, 8, 5}, {64, 4, 3}};
  for (auto run : runs) {
    clear(out);
    CHECK(launch(ring, dim3(run.blocks), dim3(run.size), out, run.rounds));
    printResult("ring", out, 4096);
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    std::printf("ring of %u: %d %d\n", run.size, host[0], host[32 * run.blocks - 1]);
  }
  const int notWhole = launch(places, dim3(3), dim3(2), out);
  const int tooLarge = launch(places, dim3(16), dim3(16), out);
  cudaGetLastError();
  std::printf("invalid: %d %d %d\n", notWhole, tooLarge, launch(places, dim3(3), dim3(3), out));
  CHECK(cudaDeviceSynchronize());
}
