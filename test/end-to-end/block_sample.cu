// One block in four is counted; the others run the plain body. Accesses of a block depend on data,
// so no block can represent the others.
// BUILD: -O2
// OPTIONS: block-sample=4
// EXPECT: shared("sampled", "words").counts == [2 * 4] * 32
// EXPECT: kernel("sampled").blocks == 4
// EXPECT: kernel("varying").blocks == 4
// EXPECT: shared("varying", "words").accesses == 64 + 96 + 128 + 160
// EXPECT: shared("varying", "words").use["accesses_estimated"]["value"] == 4 * 448
// Each of the four is a group. Their totals have the mean 112 and the variance
// (48^2 + 16^2 + 16^2 + 48^2) / 3; of 16 blocks, 12 are missing.
// EXPECT: abs(shared("varying", "words").use["standard_error"] ** 2 -
//     16 ** 2 * (12 / 16) * (5120 / 3) / 4) < 0.001
#include "common.h"

__global__ void sampled(int *out) {
  __shared__ volatile int words[32];
  const int I = blockIdx.x * 32 + threadIdx.x;
  words[threadIdx.x] = blockIdx.x;
  if (out[I] >= 0)
    out[I] = words[threadIdx.x];
}

/// Block b makes 32 (b / 4 + 2) accesses, which depends on data.
__global__ void varying(int *out) {
  __shared__ volatile int words[32];
  const int I = blockIdx.x * 32 + threadIdx.x, Times = out[I] + 1;
  words[threadIdx.x] = I;
  int Sum = 0;
  for (int N = 0; N < Times; ++N)
    Sum += words[threadIdx.x];
  out[I] = Sum;
}

int main() {
  int *Out = deviceInts(16 * 32);
  sampled<<<16, 32>>>(Out);
  printResult("sampled", Out, 16 * 32);
  int Quarters[16 * 32];
  for (int I = 0; I < 16 * 32; ++I)
    Quarters[I] = I / 32 / 4;
  CHECK(cudaMemcpy(Out, Quarters, sizeof(Quarters), cudaMemcpyHostToDevice));
  varying<<<16, 32>>>(Out);
  CHECK(cudaDeviceSynchronize());
}
