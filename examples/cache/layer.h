// Input, check and result of both versions of the layer: a layer of a convolutional network with
// windows of 1 x 1. Each feature of a point is the weighted sum of the point's channels, with a
// bias, and not less than 0.

#ifndef LAYER_H
#define LAYER_H

#include "../example.h"

constexpr int Channels = 16, Features = 4;
constexpr int BlockX = 256, BlockY = 2; // threads

struct Parameters {
  float Weights[Features][Channels], Biases[Features];
};
__constant__ Parameters parameters;

/// Fills an array with small integers, whose sums are exact in any order.
inline void fill(float *First, size_t Count, unsigned Limit, int Least, Random &Numbers) {
  for (size_t I = 0; I < Count; ++I)
    First[I] = float(int(Numbers.below(Limit)) + Least);
}

/// Returns whether each feature has the expected value, at each point.
inline bool isRight(const std::vector<float> &Input, const std::vector<float> &Output,
                    const Parameters &P, size_t Points) {
  for (int F = 0; F < Features; ++F)
    for (size_t Point = 0; Point < Points; ++Point) {
      float Sum = P.Biases[F];
      for (int C = 0; C < Channels; ++C)
        Sum += P.Weights[F][C] * Input[C * Points + Point];
      if (Output[F * Points + Point] != std::max(Sum, 0.0F))
        return false;
    }
  return true;
}

/// Runs a version: Launch(input, output, size) launches it, for size x size points.
template <typename LaunchFn>
int runLayer(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Size = problemSize(Argc, Argv, 256, 256);
  const size_t Points = size_t(Size) * Size;
  Random Numbers;
  std::vector<float> Input(Channels * Points), Result(Features * Points);
  Parameters P;
  fill(Input.data(), Input.size(), 16, 0, Numbers);
  fill(P.Weights[0], Features * Channels, 7, -3, Numbers);
  fill(P.Biases, Features, 64, 0, Numbers);

  float *Neurons, *Output;
  CHECK(cudaMalloc(&Neurons, Input.size() * sizeof(float)));
  CHECK(cudaMalloc(&Output, Result.size() * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(parameters, &P, sizeof(P)));
  CHECK(cudaMemcpy(Neurons, Input.data(), Input.size() * sizeof(float), cudaMemcpyHostToDevice));
  launch("layer", [&] { Launch(Neurons, Output, Size); });
  CHECK(cudaMemcpy(Result.data(), Output, Result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Neurons));
  CHECK(cudaFree(Output));

  const bool Passed = isRight(Input, Result, P, Points);
  double Total = 0;
  for (float Each : Result)
    Total += Each;
  std::printf("%s: %d features of %d x %d points, sum %.0f: %s\n", Name, Features, Size, Size,
              Total, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // LAYER_H
