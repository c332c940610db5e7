// Input, check and result of both versions of the dot products: row r of a times row r of b, for
// all rows.

#ifndef DOTS_H
#define DOTS_H

#include "../example.h"

constexpr int Columns = 256;
constexpr int Threads = 1024; // of a block

/// Runs a version: Launch(a, b, dots, rows) launches it.
template <typename LaunchFn> int runDots(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Rows = problemSize(Argc, Argv, 2048, Threads);
  std::vector<int> A(size_t(Rows) * Columns), B(A.size()), Result(Rows);
  Random Numbers;
  for (size_t I = 0; I < A.size(); ++I) {
    A[I] = int(Numbers.below(100));
    B[I] = int(Numbers.below(100));
  }
  const size_t Bytes = A.size() * sizeof(int);
  int *Left, *Right, *Dots;
  CHECK(cudaMalloc(&Left, Bytes));
  CHECK(cudaMalloc(&Right, Bytes));
  CHECK(cudaMalloc(&Dots, Rows * sizeof(int)));
  CHECK(cudaMemcpy(Left, A.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(Right, B.data(), Bytes, cudaMemcpyHostToDevice));
  launch("dots", [&] { Launch(Left, Right, Dots, Rows); });
  CHECK(cudaMemcpy(Result.data(), Dots, Rows * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Left));
  CHECK(cudaFree(Right));
  CHECK(cudaFree(Dots));

  bool Passed = true;
  long Total = 0;
  for (int Row = 0; Row < Rows; ++Row) {
    int Sum = 0;
    for (int Column = 0; Column < Columns; ++Column)
      Sum += A[size_t(Row) * Columns + Column] * B[size_t(Row) * Columns + Column];
    Passed = Passed && Result[Row] == Sum;
    Total += Sum;
  }
  std::printf("%s: %d rows, sum %ld: %s\n", Name, Rows, Total, Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // DOTS_H
