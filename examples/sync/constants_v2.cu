// Version 1 with the coefficients copied once.
#include "steps.h"

constexpr int N = 1 << 18, Threads = 128;

__global__ void apply(const unsigned *Coefficients, unsigned *Values, int Rounds) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned X = Values[I];
  for (int R = 0; R < Rounds; ++R)
    X = next(X) + Coefficients[I];
  Values[I] = X;
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {10, 4, 1000});
  std::vector<unsigned> Coefficients(N);
  for (int I = 0; I < N; ++I)
    Coefficients[I] = 3 * I;
  const DeviceArray<unsigned> Values(std::vector<unsigned>(N, 1));
  const DeviceArray<unsigned> OnDevice(N);
  CHECK(cudaMemcpy(OnDevice, Coefficients.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
  unsigned Host = 0, Expected = 1;
  for (int Step = 0; Step < S.Steps; ++Step) {
    Host += prepare(Step, S.HostRounds);
    apply<<<N / Threads, Threads>>>(OnDevice, Values, S.KernelRounds);
  }
  const unsigned Result = Values.download()[N - 1];
  for (int R = 0; R < S.Steps * S.KernelRounds; ++R)
    Expected = next(Expected) + Coefficients[N - 1];
  return report("constants", Result + Host, Expected + Host);
}
