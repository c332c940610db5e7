// Waits, repeated copies, and the host's uses of GPU results, in programs that GMProf's compiler
// has not compiled.
// DEVICE: gpu
// BUILD-NVCC: -O2
// BUILD-NVCC: -O2 -cudart=shared
// OPTIONS: profile=sync
// OPTIONS: unwind=32
// EXPECT: sorted((s["calls"], s["blocked"], s["unnecessary"], s["misplaced"])
//     for s in summary["sync"]["sites"] if s["blocked"])
//     == [(1, 1, 0, 1), (3, 3, 2, 0), (3, 3, 3, 0)]
// EXPECT: sorted(f["pattern"] for f in summary["findings"]) == ["duplicate_transfer",
//     "misplaced_synchronization", "unnecessary_synchronization", "unnecessary_synchronization"]
// EXPECT: [(s["copies"], s["duplicates"]) for s in summary["sync"]["sites"] if s["duplicates"]]
//     == [(3, 2)]
// EXPECT: [summary["sync"][k] for k in ("uses_seen", "uses_page", "uses_assumed")] == [1, 1, 0]
// EXPECT-OUTPUT: 42
#include "common.h"
#include <chrono>

__global__ void spin(int *Out, const int *In, unsigned long long Nanoseconds) {
  unsigned long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < Nanoseconds);
  *Out = In ? *In + 2 : 2;
}

static void work(int Milliseconds) {
  auto End = std::chrono::steady_clock::now() + std::chrono::milliseconds(Milliseconds);
  while (std::chrono::steady_clock::now() < End)
    ;
}

constexpr unsigned long long Nanoseconds = 20'000'000;

int main() {
  int *Out, *In, *Scratch, *Host;
  CHECK(cudaMalloc(&Out, 4096));
  CHECK(cudaMalloc(&In, 4096));
  CHECK(cudaMallocHost(&Host, 4096));
  int Constants[1024] = {40};
  cudaStream_t Stream;
  CHECK(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
  for (int Time = 0; Time < 3; ++Time) {
    // The same bytes each time.
    CHECK(cudaMemcpy(In, Constants, sizeof(Constants), cudaMemcpyHostToDevice));
    spin<<<1, 1>>>(Out, In, Nanoseconds);
    // A wait that the host does not need.
    CHECK(cudaDeviceSynchronize());
    work(5);
    // Releasing waits.
    CHECK(cudaMalloc(&Scratch, 4096));
    spin<<<1, 1>>>(Scratch, nullptr, Nanoseconds);
    CHECK(cudaFree(Scratch));
    work(5);
  }
  // Needed, but used later.
  spin<<<1, 1, 0, Stream>>>(Out, In, Nanoseconds);
  CHECK(cudaMemcpyAsync(Host, Out, sizeof(int), cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  work(20);
  std::printf("%d\n", *Host);
  CHECK(cudaFreeHost(Host));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
