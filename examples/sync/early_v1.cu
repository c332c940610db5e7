// In each step the host waits for the result of the GPU, and only then does its own work, before it
// uses the result. Version 2 waits after that work.
#include "steps.h"

constexpr int N = 1 << 12, Threads = 128;

__global__ void step(unsigned *Values, unsigned *Last, int Rounds) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned X = Values[I];
  for (int R = 0; R < Rounds; ++R)
    X = next(X);
  Values[I] = X;
  if (I == N - 1)
    *Last = X;
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {10, 1000, 400000});
  const DeviceArray<unsigned> Values(std::vector<unsigned>(N, 1));
  unsigned *Last; // of the host, page-locked: the kernel writes it
  CHECK(cudaMallocHost(&Last, sizeof(unsigned)));
  unsigned Result = 0, Host = 0, Expected = 0, X = 1;
  for (int Step = 0; Step < S.Steps; ++Step) {
    step<<<N / Threads, Threads>>>(Values, Last, S.KernelRounds);
    CHECK(cudaDeviceSynchronize());
    Host += prepare(Step, S.HostRounds);
    Result += *Last;
  }
  CHECK(cudaFreeHost(Last));
  for (int Step = 0; Step < S.Steps; ++Step) {
    for (int R = 0; R < S.KernelRounds; ++R)
      X = next(X);
    Expected += X;
  }
  return report("early", Result + Host, Expected + Host);
}
