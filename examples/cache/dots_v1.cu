// Dot products of rows, version 1: a thread for each row. The threads of a block use 2048 lines at
// a time, which is more than L1 holds. Version 2 has a warp for each row.

#include "dots.h"

__global__ void dots(const int *a, const int *b, int *result) {
  const int Row = blockIdx.x * Threads + threadIdx.x;
  int Sum = 0;
  for (int Column = 0; Column < Columns; ++Column)
    Sum += a[Row * Columns + Column] * b[Row * Columns + Column];
  result[Row] = Sum;
}

int main(int Argc, char **Argv) {
  return runDots("dots v1", Argc, Argv, [](const int *A, const int *B, int *Result, int Rows) {
    dots<<<Rows / Threads, Threads>>>(A, B, Result);
  });
}
