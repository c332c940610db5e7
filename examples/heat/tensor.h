// Input, reference and result of both versions of the sparse tensor times matrix. The tensor's
// elements are stored by fibres; for fibre f, Y(f, r) is the sum of X(i) U(k(i), r) over its
// elements i.

#ifndef TENSOR_H
#define TENSOR_H

#include "../example.h"

#include <cmath>

constexpr int Rank = 32;   // columns of U and Y: a warp's lanes
constexpr int Fibres = 8;  // fibres of a block at a time: a warp each
constexpr int Rounds = 4;  // of a block
constexpr int Rows = 4096; // of U

struct Tensor {
  std::vector<int> Begin; // of each fibre in the others, and the end of the last
  std::vector<int> Row;
  std::vector<float> Value;
};

/// Fibres have 1 to 32 elements.
static Tensor makeTensor(int Count, Random &Numbers) {
  Tensor X{{0}, {}, {}};
  for (int Fibre = 0; Fibre < Count; ++Fibre) {
    const int Elements = 1 + int(Numbers.below(32));
    for (int I = 0; I < Elements; ++I) {
      X.Row.push_back(int(Numbers.below(Rows)));
      X.Value.push_back(Numbers.between(-1.0f, 1.0f));
    }
    X.Begin.push_back(int(X.Row.size()));
  }
  return X;
}

/// Runs a version: Launch(blocks, threads, begin, rows, x, u, y) launches it.
template <typename LaunchFn>
int runTensor(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Count = problemSize(Argc, Argv, 256, Fibres * Rounds);
  Random Numbers;
  const Tensor X = makeTensor(Count, Numbers);
  std::vector<float> U(size_t(Rows) * Rank);
  for (float &Element : U)
    Element = Numbers.between(-1.0f, 1.0f);

  const DeviceArray<int> Begin(X.Begin), Row(X.Row);
  const DeviceArray<float> Value(X.Value), DeviceU(U), DeviceY(size_t(Count) * Rank);
  launch("multiply", [&] {
    Launch(Count / (Fibres * Rounds), dim3(Rank, Fibres), Begin, Row, Value, DeviceU, DeviceY);
  });
  const std::vector<float> Y = DeviceY.download();
  bool Passed = true;
  double Total = 0.0;
  for (int Fibre = 0; Fibre < Count; ++Fibre)
    for (int R = 0; R < Rank; ++R) {
      double Sum = 0.0;
      for (int I = X.Begin[Fibre]; I < X.Begin[Fibre + 1]; ++I)
        Sum += double(X.Value[I]) * U[size_t(X.Row[I]) * Rank + R];
      Passed = Passed && std::fabs(Y[size_t(Fibre) * Rank + R] - Sum) < 1e-4;
      Total += std::fabs(Sum);
    }
  std::printf("%s: %d fibres, %zu elements, sum %.1f: %s\n", Name, Count, X.Value.size(), Total,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // TENSOR_H
