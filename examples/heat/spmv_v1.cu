// Sparse matrix times vector, version 1: a thread for each row. The next thread's row begins where
// a row ends: both offsets are loaded, and the second request of a warp begins within a sector. Any
// warp may need any element of x in the window, which makes these hot, at random.

#include "spmv.h"

__global__ void spmv(int Rows, const int *offsets, const int *columns, const float *values,
                     const float *x, float *y) {
  const int Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= Rows)
    return;
  const int Begin = offsets[Row], End = offsets[Row + 1];
  float Sum = 0.0f;
  for (int I = Begin; I < End; ++I)
    Sum += values[I] * x[columns[I]];
  y[Row] = Sum;
}

/// Sorts the elements of each row by columns, as most libraries have them.
static std::vector<int> prepare(std::vector<std::vector<Element>> &Matrix) {
  std::vector<int> Offsets = {0};
  for (std::vector<Element> &Row : Matrix) {
    std::sort(Row.begin(), Row.end(),
              [](const Element &A, const Element &B) { return A.Column < B.Column; });
    Offsets.push_back(Offsets.back() + int(Row.size()));
  }
  return Offsets;
}

int main(int Argc, char **Argv) {
  return runSpmv("spmv v1", Argc, Argv, prepare,
                 [](int Blocks, int Rows, const int *Offsets, const int *Columns,
                    const float *Values, const float *X,
                    float *Y) { spmv<<<Blocks, Threads>>>(Rows, Offsets, Columns, Values, X, Y); });
}
