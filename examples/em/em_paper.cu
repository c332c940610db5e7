// EM clustering, the version of GMProf's paper: the mixture is in shared memory, loaded once by
// each block and read by every thread for every point; the responsibilities, of which each word is
// used a few times only, are in device memory.

#include "em.h"

__global__ void expectation(const float *points, int Count, int NumComponents,
                            Mixture<float> mixture, float *responsibilities, float *sums) {
  __shared__ float mean[Components][Dims];
  __shared__ float inverseVariance[Components][Dims];
  __shared__ float tile[Dims][Threads];
  const int T = threadIdx.x;
  float (*responsibility)[Threads] =
      reinterpret_cast<float (*)[Threads]>(responsibilities) + blockIdx.x * Components;
  // The sums that this thread keeps: one component and dimension of it.
  const int Component = T / Dims, Dim = T % Dims;
  float Weight = 0.0f, SumX = 0.0f, SumXX = 0.0f;

  if (Component < NumComponents) {
    mean[Component][Dim] = mixture.Mean[T];
    inverseVariance[Component][Dim] = mixture.InverseVariance[T];
  }
  __syncthreads();

  for (int First = blockIdx.x * Threads; First < Count; First += int(gridDim.x) * Threads) {
    float X[Dims];
    for (int D = 0; D < Dims; ++D)
      tile[D][T] = X[D] = points[(First + T) * Dims + D];

    float Largest = -INFINITY, Total = 0.0f;
    for (int C = 0; C < NumComponents; ++C) {
      float Distance = 0.0f;
      for (int D = 0; D < Dims; ++D) {
        const float Difference = X[D] - mean[C][D];
        Distance += Difference * Difference * inverseVariance[C][D];
      }
      const float LogDensity = mixture.LogWeight[C] - 0.5f * Distance;
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
  return runEM(
      "em paper", Argc, Argv,
      [](int Blocks, const float *Points, int Count, Mixture<float> Fit, float *Sums) {
        static const DeviceArray<float> Responsibilities(size_t(Blocks) * Components * Threads);
        expectation<<<Blocks, Threads>>>(Points, Count, Components, Fit, Responsibilities, Sums);
      });
}
