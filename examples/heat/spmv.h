// Matrix, in compressed rows (CSR), and result of both versions of the sparse product. Elements of
// a block's rows are in a window of 1024 columns near the diagonal. A row has 16 to 32 elements, a
// multiple of 4, and no two in columns that are equal modulo 32.

#ifndef SPMV_H
#define SPMV_H

#include "../example.h"

#include <cmath>

constexpr int Threads = 256; // of a block, and its rows
constexpr int Window = 1024; // columns

/// Returns the first column of the window of Row's block; a multiple of 32.
__host__ __device__ inline int windowOf(int Row, int Rows) {
  const int First = Row / Threads * Threads - (Window - Threads) / 2;
  return First < 0 ? 0 : First > Rows - Window ? Rows - Window : First;
}

struct Element {
  int Column;
  float Value;
};

/// Returns the rows. Element I of a row is in a column equal to row + I modulo 32: at each step,
/// the threads of a warp, with a row each, need elements of the vector in different banks.
static std::vector<std::vector<Element>> makeMatrix(int Rows, Random &Numbers) {
  std::vector<std::vector<Element>> Matrix(Rows);
  for (int Row = 0; Row < Rows; ++Row) {
    const int Elements = 16 + 4 * int(Numbers.below(5));
    for (int I = 0; I < Elements; ++I) {
      const int Chunk = int(Numbers.below(Window / 32));
      Matrix[Row].push_back(
          {windowOf(Row, Rows) + Chunk * 32 + (Row + I) % 32, Numbers.between(-1.0f, 1.0f)});
    }
  }
  return Matrix;
}

/// Runs a version: Launch(blocks, rows, offsets, columns, values, x, y) launches it, and
/// Prepare(matrix) may order the elements of rows; it returns the offsets of rows.
template <typename PrepareFn, typename LaunchFn>
int runSpmv(const char *Name, int Argc, char **Argv, PrepareFn Prepare, LaunchFn Launch) {
  const int Rows = problemSize(Argc, Argv, 2048, Window);
  Random Numbers;
  std::vector<std::vector<Element>> Matrix = makeMatrix(Rows, Numbers);
  const std::vector<int> Offsets = Prepare(Matrix);
  std::vector<int> Columns;
  std::vector<float> Values, X(Rows);
  for (float &Number : X)
    Number = Numbers.between(-1.0f, 1.0f);
  std::vector<double> Expected;
  for (const std::vector<Element> &Row : Matrix) {
    Expected.push_back(0.0);
    for (const Element &E : Row) {
      Columns.push_back(E.Column);
      Values.push_back(E.Value);
      Expected.back() += double(E.Value) * X[E.Column];
    }
  }

  const DeviceArray<int> DeviceOffsets(Offsets), DeviceColumns(Columns);
  const DeviceArray<float> DeviceValues(Values), DeviceX(X), DeviceY(Rows);
  launch("spmv", [&] {
    Launch(Rows / Threads, Rows, DeviceOffsets, DeviceColumns, DeviceValues, DeviceX, DeviceY);
  });
  const std::vector<float> Y = DeviceY.download();
  bool Passed = true;
  double Sum = 0.0;
  for (int Row = 0; Row < Rows; ++Row) {
    Passed = Passed && std::fabs(Y[Row] - Expected[Row]) < 1e-4;
    Sum += std::fabs(Y[Row]);
  }
  std::printf("%s: %d rows, %zu elements, sum %.1f: %s\n", Name, Rows, Values.size(), Sum,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // SPMV_H
