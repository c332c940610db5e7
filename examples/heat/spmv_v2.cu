// Sparse matrix times vector, version 2: one load of 8 bytes reads both offsets of a row, and a
// block loads its window of x to shared memory once. The order of a row's elements makes the
// threads of a warp read words of different banks.

#include "spmv.h"

__global__ void spmv(int Rows, const int2 *offsets, const int *columns, const float *values,
                     const float *x, float *y) {
  __shared__ float window[Window];
  const int Row = blockIdx.x * blockDim.x + threadIdx.x;
  const int First = windowOf(Row, Rows);
  for (int I = threadIdx.x; I < Window; I += blockDim.x)
    window[I] = x[First + I];
  __syncthreads();
  if (Row >= Rows)
    return;
  const int2 Mine = offsets[Row];
  float Sum = 0.0f;
// Rows end with a multiple of this, so all of a warp's rows are at the same step.
#pragma unroll 4
  for (int I = Mine.x; I < Mine.y; ++I)
    Sum += values[I] * window[columns[I] - First];
  y[Row] = Sum;
}

/// Begin and end of each row.
static std::vector<int> prepare(std::vector<std::vector<Element>> &Matrix) {
  std::vector<int> Offsets;
  int Begin = 0;
  for (const std::vector<Element> &Row : Matrix) {
    const int End = Begin + int(Row.size());
    Offsets.insert(Offsets.end(), {Begin, End});
    Begin = End;
  }
  return Offsets;
}

int main(int Argc, char **Argv) {
  return runSpmv("spmv v2", Argc, Argv, prepare,
                 [](int Blocks, int Rows, const int *Offsets, const int *Columns,
                    const float *Values, const float *X, float *Y) {
                   spmv<<<Blocks, Threads>>>(Rows, reinterpret_cast<const int2 *>(Offsets), Columns,
                                             Values, X, Y);
                 });
}
