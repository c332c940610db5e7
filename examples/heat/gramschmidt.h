// Input, reference and result of both versions of the Gram-Schmidt step. The step for column k
// removes the component along the normal vector q_k from all columns right of k: r(k, j) = q_k .
// a_j, and a_j -= r(k, j) q_k. Matrices are square and stored by rows.

#ifndef GRAMSCHMIDT_H
#define GRAMSCHMIDT_H

#include "../example.h"

#include <cmath>

constexpr int Threads = 256;
constexpr int FirstColumn = 0; // k

struct Step {
  std::vector<float> R, A;
};

static Step stepOnHost(int N, const std::vector<float> &Q, std::vector<float> A) {
  std::vector<float> R(N);
  for (int J = FirstColumn + 1; J < N; ++J) {
    double Sum = 0.0;
    for (int I = 0; I < N; ++I)
      Sum += double(Q[I]) * A[size_t(I) * N + J];
    R[J] = float(Sum);
    for (int I = 0; I < N; ++I)
      A[size_t(I) * N + J] -= float(Q[I] * Sum);
  }
  return {R, A};
}

static bool areClose(const std::vector<float> &X, const std::vector<float> &Y) {
  return std::equal(X.begin(), X.end(), Y.begin(), Y.end(),
                    [](float A, float B) { return std::fabs(A - B) < 1e-4; });
}

/// Runs a version: Launch(blocks, N, a, r, q) launches it; Place(N, i, k) says where element
/// (i, k) of q is.
template <typename LaunchFn, typename PlaceFn>
int runStep(const char *Name, int Argc, char **Argv, LaunchFn Launch, PlaceFn Place) {
  const int N = problemSize(Argc, Argv, 256, Threads);
  Random Numbers;
  std::vector<float> A(size_t(N) * N), Column(N), Q(A.size());
  for (float &Element : A)
    Element = Numbers.between(-1.0f, 1.0f);
  double Norm = 0.0;
  for (int I = 0; I < N; ++I)
    Norm += double(A[size_t(I) * N + FirstColumn]) * A[size_t(I) * N + FirstColumn];
  for (int I = 0; I < N; ++I)
    Q[Place(N, I, FirstColumn)] = Column[I] =
        float(A[size_t(I) * N + FirstColumn] / std::sqrt(Norm));

  const DeviceArray<float> DeviceQ(Q);
  DeviceArray<float> DeviceA(A), DeviceR(A.size());
  const auto Step = [&] { Launch(N / Threads, N, DeviceA, DeviceR, DeviceQ); };
  launch("project", Step);
  if (std::getenv("EXAMPLE_TIMES")) { // A has changed with each launch
    DeviceA.upload(A);
    Step();
  }
  const struct Step Expected = stepOnHost(N, Column, A);
  std::vector<float> R = DeviceR.download();
  R.resize(N); // row k
  R[FirstColumn] = 0.0f;
  const bool Passed = areClose(R, Expected.R) && areClose(DeviceA.download(), Expected.A);
  double Sum = 0.0;
  for (float Element : R)
    Sum += std::fabs(Element);
  std::printf("%s: %d columns, sum %.2f: %s\n", Name, N, Sum, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // GRAMSCHMIDT_H
