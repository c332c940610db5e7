// cudaMemset of managed memory waits for the GPU, although the host does not need the results (the
// case of AMG in Diogenes, SC 2019, Section 5.1).
#include "steps.h"

constexpr int N = 1 << 14, Threads = 128, Counters = 1024;

__global__ void step(unsigned *Values, unsigned *Count, int Rounds) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned X = Values[I];
  for (int R = 0; R < Rounds; ++R)
    X = next(X);
  Values[I] = X;
  atomicAdd(&Count[X % Counters], 1);
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {10, 200, 200000});
  const DeviceArray<unsigned> Values(std::vector<unsigned>(N, 1));
  unsigned *Count;
  CHECK(cudaMallocManaged(&Count, Counters * sizeof(unsigned)));
  unsigned Host = 0, Expected = 1;
  for (int Step = 0; Step < S.Steps; ++Step) {
    CHECK(cudaMemset(Count, 0, Counters * sizeof(unsigned)));
    Host += prepare(Step, S.HostRounds);
    step<<<N / Threads, Threads>>>(Values, Count, S.KernelRounds);
  }
  const unsigned Result = Values.download()[N - 1];
  // All values are the same, and so are counted in one place, in the last step.
  const unsigned Counted = Count[Result % Counters];
  for (int R = 0; R < S.Steps * S.KernelRounds; ++R)
    Expected = next(Expected);
  CHECK(cudaFree(Count));
  return report("managed_set", Result + Counted + Host, Expected + N + Host);
}
