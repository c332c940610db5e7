// The host side that both versions of the EM example share: points drawn around
// some centres, a mixture of Gaussians with diagonal covariances fitted to them,
// and the same fit on the host.
//
// A round is two kernels. `expectation`, which the versions differ in, finds how
// much each component is responsible for each point, and each block adds up what
// its points contribute. `maximisation` makes the next mixture of these sums.
// No sum depends on the order in which threads run.

#ifndef EM_H
#define EM_H

#include "../example.h"

#include <algorithm>
#include <cmath>

constexpr int Dims = 4;
constexpr int Components = 16;
constexpr int Threads = 128; // one for each point of a pass, at least Components * Dims
constexpr int Passes = 8;    // that each thread makes
constexpr int Rounds = 5;
constexpr int Cells = Components * Dims;
// Sums of a block: for each component and dimension the sum of x and of x * x, and for each
// component the sum of 1, all weighted by responsibility.
constexpr int SumsPerBlock = 2 * Cells + Components;

/// The mixture: log weights, means and inverse variances. The log weight includes
/// the normalisation of the density.
template <typename T> struct Mixture {
  T *LogWeight, *Mean, *InverseVariance;
};

/// The next component from its sums, one dimension of it.
template <typename T>
__host__ __device__ void nextMixture(T Weight, T SumX, T SumXX, T &Mean, T &InverseVariance) {
  Mean = SumX / Weight;
  // Never narrower than this, or a component could shrink to a point.
  const T Variance = SumXX / Weight - Mean * Mean;
  InverseVariance = T(1) / (Variance > T(0.01) ? Variance : T(0.01));
}

/// One block; thread c computes component c from the sums of `Blocks` blocks.
__global__ void maximisation(const float *sums, int Blocks, Mixture<float> mixture, int Points) {
  const int Component = threadIdx.x;
  float Weight = 0.0f;
  for (int Block = 0; Block < Blocks; ++Block)
    Weight += sums[Block * SumsPerBlock + 2 * Cells + Component];

  float LogWeight = logf(Weight / Points);
  for (int Dim = 0; Dim < Dims; ++Dim) {
    const int Cell = Component * Dims + Dim;
    float SumX = 0.0f, SumXX = 0.0f;
    for (int Block = 0; Block < Blocks; ++Block) {
      SumX += sums[Block * SumsPerBlock + Cell];
      SumXX += sums[Block * SumsPerBlock + Cells + Cell];
    }
    nextMixture(Weight, SumX, SumXX, mixture.Mean[Cell], mixture.InverseVariance[Cell]);
    LogWeight += 0.5f * logf(mixture.InverseVariance[Cell]);
  }
  mixture.LogWeight[Component] = LogWeight;
}

/// Points around `Components` centres, in random order.
inline std::vector<float> makePoints(int Count) {
  Random Numbers;
  std::vector<float> Centres(Cells), Points(size_t(Count) * Dims);
  for (float &Centre : Centres)
    Centre = Numbers.between(-8.0f, 8.0f);
  for (int Point = 0; Point < Count; ++Point) {
    const unsigned Component = Numbers.below(Components);
    for (int Dim = 0; Dim < Dims; ++Dim)
      Points[Point * Dims + Dim] = Centres[Component * Dims + Dim] + Numbers.between(-1.5f, 1.5f);
  }
  return Points;
}

/// Computes the reference, in double precision. `Mean`: the start and the result.
inline void fitOnHost(const std::vector<float> &Points, std::vector<double> &Mean) {
  const int Count = int(Points.size()) / Dims;
  std::vector<double> LogWeight(Components, 0.0), InverseVariance(Cells, 1.0);
  for (int Round = 0; Round < Rounds; ++Round) {
    std::vector<double> Weight(Components, 0.0), SumX(Cells, 0.0), SumXX(Cells, 0.0);
    for (int Point = 0; Point < Count; ++Point) {
      const float *X = &Points[size_t(Point) * Dims];
      double Density[Components], Largest = -INFINITY, Total = 0.0;
      for (int C = 0; C < Components; ++C) {
        double Distance = 0.0;
        for (int D = 0; D < Dims; ++D)
          Distance += (X[D] - Mean[C * Dims + D]) * (X[D] - Mean[C * Dims + D]) *
                      InverseVariance[C * Dims + D];
        Density[C] = LogWeight[C] - 0.5 * Distance;
        Largest = std::max(Largest, Density[C]);
      }
      for (double &Value : Density)
        Total += Value = std::exp(Value - Largest);
      for (int C = 0; C < Components; ++C) {
        const double Share = Density[C] / Total;
        Weight[C] += Share;
        for (int D = 0; D < Dims; ++D) {
          SumX[C * Dims + D] += Share * X[D];
          SumXX[C * Dims + D] += Share * X[D] * X[D];
        }
      }
    }
    for (int C = 0; C < Components; ++C) {
      LogWeight[C] = std::log(Weight[C] / Count);
      for (int I = C * Dims; I < (C + 1) * Dims; ++I) {
        nextMixture(Weight[C], SumX[I], SumXX[I], Mean[I], InverseVariance[I]);
        LogWeight[C] += 0.5 * std::log(InverseVariance[I]);
      }
    }
  }
}

// Runs the rounds with `Launch(Blocks, Points, Count, Mixture, Sums)`, which starts the
// expectation kernel, and returns the exit status.
template <typename LaunchFn> int runEM(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Count = problemSize(Argc, Argv, 4096, Threads * Passes);
  const int Blocks = Count / (Threads * Passes);
  const std::vector<float> Points = makePoints(Count);
  // The first points serve as the initial guess.
  const std::vector<float> Start(Points.begin(), Points.begin() + Cells);

  const DeviceArray<float> DevicePoints(Points), Sums(Blocks * SumsPerBlock);
  const DeviceArray<float> LogWeight(std::vector<float>(Components, 0.0f)), Mean(Start),
      InverseVariance(std::vector<float>(Cells, 1.0f));
  const Mixture<float> Fit{LogWeight, Mean, InverseVariance};
  for (int Round = 0; Round < Rounds; ++Round) {
    launch("expectation", [&] { Launch(Blocks, DevicePoints, Count, Fit, Sums); });
    launch("maximisation", [&] { maximisation<<<1, Components>>>(Sums, Blocks, Fit, Count); });
  }

  const std::vector<float> Result = Mean.download();
  std::vector<double> Expected(Start.begin(), Start.end());
  fitOnHost(Points, Expected);
  bool Passed = true;
  double Sum = 0.0;
  for (int I = 0; I < Cells; ++I) {
    Passed = Passed && std::fabs(Result[I] - Expected[I]) < 1e-2;
    Sum += std::fabs(Result[I]);
  }
  std::printf("%s: %d components fitted to %d points, sum of means %.1f: %s\n", Name, Components,
              Count, Sum, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // EM_H
