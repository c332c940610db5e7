// Each step copies two inputs to the device, from page-locked memory that is allocated once. The
// host waits for the copies of the last step before it writes the memory again.
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
  unsigned *First, *Second, Expected = 0, Result = 0;
  cudaEvent_t Copied;
  CHECK(cudaMallocHost(&First, N * sizeof(unsigned)));
  CHECK(cudaMallocHost(&Second, N * sizeof(unsigned)));
  CHECK(cudaEventCreate(&Copied));
  for (int Step = 0; Step < S.Steps; ++Step) {
    CHECK(cudaEventSynchronize(Copied));
    fill(First, Step);
    CHECK(cudaMemcpyAsync(A, First, N * sizeof(unsigned), cudaMemcpyHostToDevice));
    fill(Second, 3 * Step);
    CHECK(cudaMemcpyAsync(B, Second, N * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(Copied));
    add<<<N / Threads, Threads>>>(A, B, Sums);
    for (unsigned I = 0; I < N; ++I)
      Expected += (Step + I) * (3 * Step + I);
  }
  for (unsigned Value : Sums.download())
    Result += Value;
  CHECK(cudaEventDestroy(Copied));
  CHECK(cudaFreeHost(First));
  CHECK(cudaFreeHost(Second));
  return report("staging", Result, Expected);
}
