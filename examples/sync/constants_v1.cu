// The coefficients, which never change, are copied to the device in each step (the case of
// cumf_als in Diogenes, SC 2019, Section 5.1).
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
  unsigned Host = 0, Expected = 1;
  for (int Step = 0; Step < S.Steps; ++Step) {
    CHECK(cudaMemcpy(OnDevice, Coefficients.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
    Host += prepare(Step, S.HostRounds);
    apply<<<N / Threads, Threads>>>(OnDevice, Values, S.KernelRounds);
  }
  const unsigned Result = Values.download()[N - 1];
  for (int R = 0; R < S.Steps * S.KernelRounds; ++R)
    Expected = next(Expected) + Coefficients[N - 1];
  return report("constants", Result + Host, Expected + Host);
}
