// Each step allocates and releases temporary device memory. cudaFree waits for the GPU, while the
// host could continue (the case of cuIBM in Diogenes, SC 2019, Section 5.1).
#include "steps.h"

constexpr int N = 1 << 14, Threads = 128;

__global__ void fill(unsigned *Temporary, unsigned Step, int Rounds) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned X = I + Step;
  for (int R = 0; R < Rounds; ++R)
    X = next(X);
  Temporary[I] = X;
}

__global__ void add(const unsigned *Temporary, unsigned *Sum) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Sum[I] += Temporary[I];
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {10, 200, 200000});
  const DeviceArray<unsigned> Sum(std::vector<unsigned>(N, 0));
  unsigned Host = 0, Expected = 0;
  for (int Step = 0; Step < S.Steps; ++Step) {
    unsigned *Temporary;
    CHECK(cudaMalloc(&Temporary, N * sizeof(unsigned)));
    fill<<<N / Threads, Threads>>>(Temporary, Step, S.KernelRounds);
    add<<<N / Threads, Threads>>>(Temporary, Sum);
    CHECK(cudaFree(Temporary));
    Host += prepare(Step, S.HostRounds);
  }
  const unsigned Result = Sum.download()[N - 1];
  for (int Step = 0; Step < S.Steps; ++Step) {
    unsigned X = N - 1 + Step;
    for (int R = 0; R < S.KernelRounds; ++R)
      X = next(X);
    Expected += X;
  }
  return report("temporaries", Result + Host, Expected + Host);
}
