// Dot products of rows, version 2: the lanes of a warp read consecutive words of a row, and add up
// their sums by shuffles.

#include "dots.h"

constexpr int WarpSize = 32;

__global__ void dots(const int *a, const int *b, int *result) {
  const int Row = (blockIdx.x * Threads + threadIdx.x) / WarpSize, Lane = threadIdx.x % WarpSize;
  int Sum = 0;
  for (int Column = Lane; Column < Columns; Column += WarpSize)
    Sum += a[Row * Columns + Column] * b[Row * Columns + Column];
  for (int Distance = WarpSize / 2; Distance > 0; Distance /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Distance);
  if (Lane == 0)
    result[Row] = Sum;
}

int main(int Argc, char **Argv) {
  return runDots("dots v2", Argc, Argv, [](const int *A, const int *B, int *Result, int Rows) {
    dots<<<Rows * WarpSize / Threads, Threads>>>(A, B, Result);
  });
}
