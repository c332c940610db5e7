// A loop whose length differs from thread to thread, in every second row: row i of the
// lower triangle of a matrix.
// BUILD: -O2 -g
// BUILD: -O0 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("rowSums", "a").reads == [int(j <= i and i % 2 == 0) for i in range(24)
//     for j in range(24)]
// EXPECT: memory("rowSums", "sums").writes == [1] * 24
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void rowSums(const int *a, int *sums, int n) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x, Sum = 0;
  if (Row >= n)
    return;
  if (Row % 2 == 0)
    for (int J = 0; J <= Row; ++J)
      Sum += a[Row * n + J];
  sums[Row] = Sum;
}

int main() {
  int *A = deviceInts(24 * 24), *Sums = deviceInts(24);
  rowSums<<<2, 16>>>(A, Sums, 24);
  printResult("sums", Sums, 24);
}
