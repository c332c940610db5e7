// Each step copies two inputs to the device: one from pageable memory, one from page-locked memory
// that it allocates and frees. Version 2 allocates page-locked memory for both once.
#include "steps.h"

constexpr unsigned N = 1 << 16, Threads = 256;

__global__ void add(const unsigned *A, const unsigned *B, unsigned *Sums) {
  const unsigned I = blockIdx.x * Threads + threadIdx.x;
  Sums[I] += A[I] * B[I];
}

void fill(unsigned *Values, unsigned First) {
  for (unsigned I = 0; I < N; ++I)
    Values[I] = First + I;
}

int main(int Argc, char **Argv) {
  const Sizes S = sizes(Argc, Argv, {10, 1, 1});
  const DeviceArray<unsigned> A(N), B(N), Sums(std::vector<unsigned>(N, 0));
  unsigned Expected = 0, Result = 0;
  for (int Step = 0; Step < S.Steps; ++Step) {
    std::vector<unsigned> First(N);
    fill(First.data(), Step);
    CHECK(cudaMemcpyAsync(A, First.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
    unsigned *Second;
    CHECK(cudaMallocHost(&Second, N * sizeof(unsigned)));
    fill(Second, 3 * Step);
    CHECK(cudaMemcpyAsync(B, Second, N * sizeof(unsigned), cudaMemcpyHostToDevice));
    add<<<N / Threads, Threads>>>(A, B, Sums);
    CHECK(cudaFreeHost(Second));
    for (unsigned I = 0; I < N; ++I)
      Expected += (Step + I) * (3 * Step + I);
  }
  for (unsigned Value : Sums.download())
    Result += Value;
  return report("staging", Result, Expected);
}
