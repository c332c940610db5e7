// Host time of API calls: ns per call of cudaMemsetAsync, of cudaMalloc with cudaFree, and of
// cudaEventRecord. Arguments: number of calls (1,000,000 by default), number of threads, and ns of
// other work of a thread after each call (0).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;
static std::chrono::nanoseconds Between{0};

static void doSomethingElse() {
  if (Between.count() == 0)
    return;
  const auto End = Clock::now() + Between;
  while (Clock::now() < End) {
  }
}

template <typename F> static void measure(const char *What, long Calls, int Threads, F Call) {
  auto Begin = Clock::now();
  std::vector<std::thread> All;
  for (int T = 0; T < Threads; ++T)
    All.emplace_back([&] {
      for (long I = 0; I < Calls; ++I)
        Call();
    });
  for (std::thread &T : All)
    T.join();
  const std::chrono::duration<double, std::nano> Time = Clock::now() - Begin;
  std::printf("%-20s %8.0f ns\n", What, Time.count() / static_cast<double>(Calls));
}

int main(int argc, char **argv) {
  const long Calls = argc > 1 ? std::atol(argv[1]) : 1000000;
  const int Threads = argc > 2 ? std::atoi(argv[2]) : 1;
  Between = std::chrono::nanoseconds(argc > 3 ? std::atol(argv[3]) : 0);
  void *Memory = nullptr;
  cudaStream_t Stream;
  cudaEvent_t Event;
  cudaMalloc(&Memory, 256);
  cudaStreamCreate(&Stream);
  cudaEventCreate(&Event);
  measure("cudaMemsetAsync", Calls, Threads, [&] {
    cudaMemsetAsync(Memory, 0, 4, Stream);
    doSomethingElse();
  });
  cudaDeviceSynchronize();
  measure("cudaEventRecord", Calls, Threads, [&] {
    cudaEventRecord(Event, Stream);
    doSomethingElse();
  });
  cudaDeviceSynchronize();
  measure("cudaMalloc, cudaFree", Calls / 10, Threads, [] {
    void *P = nullptr;
    cudaMalloc(&P, 1024);
    doSomethingElse();
    cudaFree(P);
    doSomethingElse();
  });
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
