// EM clustering, version 2: as GMProf's findings about version 1 suggest. Rows of
// both tiles have a padding element, a point is loaded as one float4, and a block
// keeps the mixture in shared memory.

#include "em.h"

__global__ void expectation(const float *points, int Count, int NumComponents,
                            Mixture<float> mixture, float *sums) {
  __shared__ float responsibility[Components][Threads + 1];
  __shared__ float tile[Dims][Threads + 1];
  __shared__ float logWeight[Components];
  __shared__ float mean[Components][Dims];
  __shared__ float inverseVariance[Components][Dims];
  const int T = threadIdx.x;
  // The sums that this thread keeps: one component and dimension of it.
  const int Component = T / Dims, Dim = T % Dims;
  float Weight = 0.0f, SumX = 0.0f, SumXX = 0.0f;

  if (T < NumComponents)
    logWeight[T] = mixture.LogWeight[T];
  if (Component < NumComponents) {
    mean[Component][Dim] = mixture.Mean[T];
    inverseVariance[Component][Dim] = mixture.InverseVariance[T];
  }
  __syncthreads();

  for (int First = blockIdx.x * Threads; First < Count; First += int(gridDim.x) * Threads) {
    alignas(16) float X[Dims];
    *reinterpret_cast<float4 *>(X) = reinterpret_cast<const float4 *>(points)[First + T];
    for (int D = 0; D < Dims; ++D)
      tile[D][T] = X[D];

    float Largest = -INFINITY, Total = 0.0f;
    for (int C = 0; C < NumComponents; ++C) {
      float Distance = 0.0f;
      for (int D = 0; D < Dims; ++D) {
        const float Difference = X[D] - mean[C][D];
        Distance += Difference * Difference * inverseVariance[C][D];
      }
      const float LogDensity = logWeight[C] - 0.5f * Distance;
      responsibility[C][T] = LogDensity;
      Largest = fmaxf(Largest, LogDensity);
    }
    // Relative to the largest, or all could underflow to 0.
    for (int C = 0; C < NumComponents; ++C) {
      const float Density = expf(responsibility[C][T] - Largest);
      responsibility[C][T] = Density;
      Total += Density;
    }
    for (int C = 0; C < NumComponents; ++C)
      responsibility[C][T] /= Total;
    __syncthreads();

    if (Component < NumComponents)
      for (int Point = 0; Point < Threads; ++Point) {
        const float Share = responsibility[Component][Point], Value = tile[Dim][Point];
        Weight += Share;
        SumX += Share * Value;
        SumXX += Share * Value * Value;
      }
    __syncthreads();
  }

  if (Component < NumComponents) {
    float *Mine = sums + blockIdx.x * SumsPerBlock;
    Mine[T] = SumX;
    Mine[Cells + T] = SumXX;
    if (Dim == 0)
      Mine[2 * Cells + Component] = Weight;
  }
}

int main(int Argc, char **Argv) {
  return runEM("em v2", Argc, Argv,
               [](int Blocks, const float *Points, int Count, Mixture<float> Fit, float *Sums) {
                 expectation<<<Blocks, Threads>>>(Points, Count, Components, Fit, Sums);
               });
}
