// Clusters of blocks: special registers, the barrier, and accesses to shared memory of other
// blocks. In the ring each block stores its 32 slots once and loads them once, and in each round
// loads and stores those of the next block; `sum` is set once by each block, added to by all
// threads of the cluster in its first block, and loaded there once. No block knows the number of
// accesses between two moves of the data of tiles: 3 times 4 blocks store and load 32 words, and
// load 32 words of another block.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// BUILD: -O0 -g
// OPTIONS: profile=shared
// EXPECT: shared("ring", "slots").blocks == 8 + 8 + 64
// EXPECT: shared("ring", "slots").counts
//     == [2 * (8 + 8 + 64) + 2 * (2 * 8 + 5 * 8 + 3 * 64)] * 32
// EXPECT: shared("ring", "sum").counts == [(8 + 8 + 64) * (1 + 32) + 8 + 1 + 16]
// EXPECT: shared("tiles", "tile").counts == [4 * 3 * 3] * 32
// EXPECT: shared("tiles", "tile").live_ranges["not_counted_reason"]
//     == "not counted, since other blocks of the cluster may access the data"
// EXPECT: coverage["accesses"]["lost"] == 0
// EXPECT-OUTPUT: places: 0 1 0 1 0 1 0 1 2 3 2 3 2 3 2 3
// EXPECT-OUTPUT: ring of 1: 1 21094
// EXPECT-OUTPUT: ring of 8: 5010 7196
// EXPECT-OUTPUT: ring of 4: 3003 243127
// EXPECT-OUTPUT: invalid: 912 912 0
#include "clusters.h"

__global__ void places(int *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 0)
    out[block] = cluster.block_rank();
}

/// Each block takes the values of the next block of its cluster, in some rounds, and adds them up,
/// also in the first block for all blocks.
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

/// Three times a tile of in, of which each block also takes the next block's.
__global__ void tiles(const int *in, int *out) {
  __shared__ int tile[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int *next =
      cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % cluster.num_blocks());
  int total = 0;
  for (int part = 0; part < 3; ++part) {
    tile[threadIdx.x] = in[part * 128 + blockIdx.x * 32 + threadIdx.x];
    cluster.sync();
    total += 3 * tile[31 - threadIdx.x] - next[threadIdx.x];
    cluster.sync();
  }
  out[blockIdx.x * 32 + threadIdx.x] = total;
}

static void clear(int *out) { CHECK(cudaMemset(out, 0, 4096 * sizeof(int))); }

int main() {
  int *out = deviceInts(4096), host[4096];
  clear(out);
  CHECK(launch(places, dim3(4, 2, 2), dim3(32), dim3(2, 1, 2), 0, out));
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
    CHECK(launch(ring, dim3(run.blocks), dim3(32), dim3(run.size), 0, out, run.rounds));
    printResult("ring", out, 4096);
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    std::printf("ring of %u: %d %d\n", run.size, host[0], host[32 * run.blocks - 1]);
  }
  int *in = deviceInts(3 * 128);
  CHECK(launch(tiles, dim3(4), dim3(32), dim3(4), 0, static_cast<const int *>(in), out));
  printResult("tiles", out, 128);
  const int notWhole = launch(places, dim3(3), dim3(32), dim3(2), 0, out);
  const int tooLarge = launch(places, dim3(16), dim3(32), dim3(16), 0, out);
  cudaGetLastError();
  std::printf("invalid: %d %d %d\n", notWhole, tooLarge,
              launch(places, dim3(3), dim3(32), dim3(3), 0, out));
  CHECK(cudaDeviceSynchronize());
}
