// Threads of a program that GMProf's compiler has not seen, each with a stream and memory of its
// own, which they allocate and release at the same time.
// DEVICE: gpu
// BUILD-NVCC: -O2
// BUILD-NVCC: -O2 -cudart=shared
// OPTIONS: profile=objects:clones=compiled
// EXPECT: sorted((o["kind"], o["bytes"], o["released"]) for o in summary["objects"])
//     == [("async-pool", 128, True)] * 200 + [("device", bytes, True)
//     for bytes in (128, 256, 384, 512) for Round in range(50)]
// EXPECT: [len(kernel("add").launches), coverage["objects"]["launches_inferred"]] == [200, 200]
// EXPECT: [f["pattern"] for f in summary["findings"] if f["pattern"] in
//     ("memory_leak", "unused_allocation", "dead_write")] == []
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 0 50 100 150
#include "common.h"
#include <thread>
#include <vector>

__global__ void add(int *Out, const int *In) { Out[threadIdx.x] += In[threadIdx.x]; }

constexpr int Threads = 4, Rounds = 50;

static void run(int Number, int *Sum) {
  cudaStream_t Stream;
  CHECK(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
  const int Host[32] = {Number};
  for (int Round = 0; Round < Rounds; ++Round) {
    int *In, *Out;
    CHECK(cudaMalloc(&In, 128 * (Number + 1)));
    CHECK(cudaMallocAsync(&Out, 128, Stream));
    CHECK(cudaMemcpyAsync(In, Host, sizeof(Host), cudaMemcpyHostToDevice, Stream));
    CHECK(cudaMemsetAsync(Out, 0, 128, Stream));
    add<<<1, 32, 0, Stream>>>(Out, In);
    int Got = 0;
    CHECK(cudaMemcpyAsync(&Got, Out, sizeof(Got), cudaMemcpyDeviceToHost, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    *Sum += Got;
    CHECK(cudaFree(In));
    CHECK(cudaFreeAsync(Out, Stream));
  }
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaStreamDestroy(Stream));
}

int main() {
  int Sums[Threads] = {};
  std::vector<std::thread> All;
  for (int I = 0; I < Threads; ++I)
    All.emplace_back(run, I, Sums + I);
  for (std::thread &Each : All)
    Each.join();
  std::printf("%d %d %d %d\n", Sums[0], Sums[1], Sums[2], Sums[3]);
}
