// Threads that allocate, copy, launch and release concurrently: nothing is lost, and each object
// has the name of the variable that received its address.
// BUILD: -O2 -g
// EXPECT: len(summary["objects"]) == 401
// EXPECT: [o["name"] for o in summary["objects"]].count("mine") == 400
// EXPECT: sorted({o["bytes"] for o in summary["objects"]}) == [64, 1000, 1001, 1002, 1003]
// EXPECT: all(o["released"] for o in summary["objects"] if o["name"] == "mine")
// EXPECT: [o["name"] for o in summary["objects"] if not o["released"]] == ["counter.total"]
// EXPECT: len(kernel("count").launches) == 400
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 400 launches counted
#include "common.h"
#include <cstdio>
#include <thread>
#include <vector>

__global__ void count(int *total, const int *one) { atomicAdd(total, *one); }

struct Counter {
  int *total;
  Counter() { CHECK(cudaMalloc(&total, 64)); }
};

int main() {
  Counter counter;
  CHECK(cudaMemset(counter.total, 0, 64));
  CHECK(cudaDeviceSynchronize());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&counter, t] {
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      const int one = 1;
      for (int round = 0; round < 100; ++round) {
        int *mine;
        CHECK(cudaMalloc(&mine, 1000 + t));
        CHECK(cudaMemcpyAsync(mine, &one, 4, cudaMemcpyHostToDevice, stream));
        count<<<1, 1, 0, stream>>>(counter.total, mine);
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaFree(mine));
      }
      CHECK(cudaStreamDestroy(stream));
    });
  for (std::thread &each : threads)
    each.join();
  int launches = 0;
  CHECK(cudaMemcpy(&launches, counter.total, 4, cudaMemcpyDeviceToHost));
  std::printf("%d launches counted\n", launches);
}
