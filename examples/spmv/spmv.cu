// Sparse matrix times vector: rows in compressed form (CSR), a warp for each row. The lanes of a
// warp add up their products in shared memory, and hold the row's bounds there, which all of them
// read. GMProf finds both arrays well used; the accesses to the vector's elements depend on the
// matrix alone.

#include "../example.h"

#include <cmath>

constexpr int WarpSize = 32;
constexpr int Warps = 4; // of a block
constexpr int RowsPerWarp = 8;

struct Matrix {
  std::vector<int> Begin; // of each row in the others, and the end of the last
  std::vector<int> Column;
  std::vector<float> Value;
};

__global__ void spmv(int Rows, const int *begin, const int *column, const float *value,
                     const float *x, float *y) {
  __shared__ float sums[Warps][WarpSize];
  __shared__ int bounds[Warps][2];
  const int Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;

  for (int Row = blockIdx.x * Warps + Warp; Row < Rows; Row += int(gridDim.x) * Warps) {
    if (Lane < 2)
      bounds[Warp][Lane] = begin[Row + Lane];
    __syncwarp();

    float Sum = 0.0f;
    const int End = bounds[Warp][1];
    for (int I = bounds[Warp][0] + Lane; I < End; I += WarpSize)
      Sum += value[I] * x[column[I]];

    sums[Warp][Lane] = Sum;
    __syncwarp();
    for (int Distance = WarpSize / 2; Distance > 0; Distance /= 2) {
      if (Lane < Distance) {
        Sum += sums[Warp][Lane + Distance];
        sums[Warp][Lane] = Sum;
      }
      __syncwarp();
    }
    if (Lane == 0)
      y[Row] = Sum;
  }
}

/// Square, with 0 to 95 elements in a row, at random places.
static Matrix makeMatrix(int Rows, Random &Numbers) {
  Matrix Result{{0}, {}, {}};
  for (int Row = 0; Row < Rows; ++Row) {
    const int Elements = int(Numbers.below(96));
    for (int I = 0; I < Elements; ++I) {
      Result.Column.push_back(int(Numbers.below(Rows)));
      Result.Value.push_back(Numbers.between(-1.0f, 1.0f));
    }
    Result.Begin.push_back(int(Result.Column.size()));
  }
  return Result;
}

static std::vector<double> multiplyOnHost(const Matrix &A, const std::vector<float> &X) {
  std::vector<double> Y(X.size(), 0.0);
  for (size_t Row = 0; Row < Y.size(); ++Row)
    for (int I = A.Begin[Row]; I < A.Begin[Row + 1]; ++I)
      Y[Row] += double(A.Value[I]) * X[A.Column[I]];
  return Y;
}

int main(int Argc, char **Argv) {
  const int Rows = problemSize(Argc, Argv, 512, Warps * RowsPerWarp);
  Random Numbers;
  const Matrix A = makeMatrix(Rows, Numbers);
  std::vector<float> X(Rows);
  for (float &Element : X)
    Element = Numbers.between(-1.0f, 1.0f);

  const DeviceArray<int> Begin(A.Begin), Column(A.Column);
  const DeviceArray<float> Value(A.Value), DeviceX(X), DeviceY(Rows);
  launch("spmv", [&] {
    spmv<<<Rows / (Warps * RowsPerWarp), Warps * WarpSize>>>(Rows, Begin, Column, Value, DeviceX,
                                                             DeviceY);
  });

  const std::vector<float> Y = DeviceY.download();
  const std::vector<double> Expected = multiplyOnHost(A, X);
  bool Passed = true;
  double Sum = 0.0;
  for (int Row = 0; Row < Rows; ++Row) {
    Passed = Passed && std::fabs(Y[Row] - Expected[Row]) < 1e-4;
    Sum += std::fabs(Y[Row]);
  }
  std::printf("spmv: %d rows, %zu elements, sum %.1f: %s\n", Rows, A.Value.size(), Sum,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}
