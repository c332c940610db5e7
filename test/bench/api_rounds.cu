// A program of many short API calls. A round has five: cudaMalloc, cudaMemcpyAsync to the
// device, a kernel, cudaMemcpyAsync back, cudaFree. Arguments: rounds (100,000 by default),
// threads that share them, blocks of 256 threads (1), and depth of the call path. Prints the
// time of a call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void scale(float *Data, int Steps) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  float Value = Data[I];
  for (int Step = 0; Step < Steps; ++Step)
    Value = Value * 0.5f + 1;
  Data[I] = Value;
}

static void check(cudaError_t Error) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(Error));
  std::exit(1);
}

static void round(float *Host, unsigned Blocks, cudaStream_t Stream) {
  const size_t Bytes = Blocks * 256 * sizeof(float);
  float *Data = nullptr;
  check(cudaMalloc(&Data, Bytes));
  check(cudaMemcpyAsync(Data, Host, Bytes, cudaMemcpyHostToDevice, Stream));
  scale<<<Blocks, 256, 0, Stream>>>(Data, 4);
  check(cudaMemcpyAsync(Host, Data, Bytes, cudaMemcpyDeviceToHost, Stream));
  check(cudaFree(Data));
}

static thread_local long Nested;

__attribute__((noinline)) static void nested(int Depth, float *Host, unsigned Blocks,
                                             cudaStream_t Stream) {
  if (Depth == 0)
    round(Host, Blocks, Stream);
  else
    nested(Depth - 1, Host, Blocks, Stream);
  Nested += Depth; // no tail call
}

int main(int argc, char **argv) {
  const long Rounds = argc > 1 ? std::atol(argv[1]) : 100000;
  const int Threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const unsigned Blocks = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  const int Depth = argc > 4 ? std::atoi(argv[4]) : 0;
  check(cudaFree(nullptr));
  std::vector<std::thread> All;
  const auto Begin = std::chrono::steady_clock::now();
  for (int T = 0; T < Threads; ++T)
    All.emplace_back([=] {
      float *Host = nullptr;
      cudaStream_t Stream;
      check(cudaMallocHost(&Host, Blocks * 256 * sizeof(float)));
      check(cudaStreamCreate(&Stream));
      for (unsigned I = 0; I < Blocks * 256; ++I)
        Host[I] = 2;
      for (long I = 0; I < Rounds / Threads; ++I)
        nested(Depth, Host, Blocks, Stream);
      check(cudaStreamSynchronize(Stream));
      if (Host[1] != 2)
        std::exit(1);
      check(cudaFreeHost(Host));
    });
  for (std::thread &T : All)
    T.join();
  const std::chrono::duration<double, std::nano> Time = std::chrono::steady_clock::now() - Begin;
  std::printf("%.0f ns per call\n", Time.count() * Threads / static_cast<double>(Rounds) / 5);
  return 0;
}
