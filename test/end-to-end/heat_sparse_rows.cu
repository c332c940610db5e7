// Rows of a sparse matrix per thread: the walk over the rows is the first cause, the gather from x
// by the columns the second. With a warp per row, only rows that begin inside sectors are left.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(f["pattern"], f["object"]["name"]) for f in summary["findings"]
//     if f["kernel"]["name"].startswith("perThread")][:2]
//     == [("strided_access", "val"), ("hot_spot", "x")]
// EXPECT: {f["pattern"] for f in summary["findings"]
//     if f["kernel"]["name"].startswith("perWarp")} == {"misaligned_access"}
// EXPECT-OUTPUT: 465 465
#include "common.h"
#include <vector>

constexpr int Rows = 8000;

__global__ void perThread(const int *ptr, const int *col, const double *val, const double *x,
                          double *y) {
  const int Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= Rows)
    return;
  double Sum = 0;
  for (int K = ptr[Row]; K < ptr[Row + 1]; ++K)
    Sum += val[K] * x[col[K]];
  y[Row] = Sum;
}

__global__ void perWarp(const int *ptr, const int *col, const double *val, const double *x,
                        double *y) {
  const int Row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, Lane = threadIdx.x % 32;
  double Sum = 0;
  for (int K = ptr[Row] + Lane; K < ptr[Row + 1]; K += 32)
    Sum += val[K] * x[col[K]];
  for (int Offset = 16; Offset != 0; Offset /= 2)
    Sum += __shfl_down_sync(0xffffffff, Sum, Offset);
  if (Lane == 0)
    y[Row] = Sum;
}

template <typename T> static T *upload(const std::vector<T> &Values) {
  T *To;
  CHECK(cudaMalloc(&To, Values.size() * sizeof(T)));
  CHECK(cudaMemcpy(To, Values.data(), Values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return To;
}

int main() {
  std::vector<int> Ptr = {0}, Col;
  std::vector<double> Val, X(Rows, 1.0);
  unsigned Random = 9;
  for (int Row = 0; Row < Rows; ++Row) {
    for (int J = 0; J < 20 + Row % 15; ++J) {
      Random = Random * 1103515245u + 12345u;
      Col.push_back((Row + static_cast<int>(Random >> 16) % 600) % Rows);
      Val.push_back(J + 1);
    }
    Ptr.push_back(static_cast<int>(Col.size()));
  }
  int *ptr = upload(Ptr), *col = upload(Col);
  double *val = upload(Val), *x = upload(X), *y = upload(X), First, Second;
  perThread<<<(Rows + 127) / 128, 128>>>(ptr, col, val, x, y);
  CHECK(cudaMemcpy(&First, y + 100, sizeof(First), cudaMemcpyDeviceToHost));
  perWarp<<<Rows / 4, 128>>>(ptr, col, val, x, y);
  CHECK(cudaMemcpy(&Second, y + 100, sizeof(Second), cudaMemcpyDeviceToHost));
  printf("%.0f %.0f\n", First, Second);
  for (void *P : {static_cast<void *>(ptr), static_cast<void *>(col), static_cast<void *>(val),
                  static_cast<void *>(x), static_cast<void *>(y)})
    CHECK(cudaFree(P));
}
