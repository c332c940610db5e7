// A sparse matrix of 64 rows, row r with r % 4 entries in columns r % 8, r % 8 + 1 ...:
// trip counts and addresses of x come from memory.
// BUILD: -O2 -g
// BUILD: -O2 -g --gmprof-level=basic
// OPTIONS: profile=global
// EXPECT: memory("multiply", "start").reads[0] == 1
// EXPECT: memory("multiply", "start").reads[64] == 1
// EXPECT: sum(memory("multiply", "start").reads) == 128
// EXPECT: memory("multiply", "column").reads == [1] * 96
// EXPECT: memory("multiply", "x").reads == [sum(8 for r in range(8) for j in range(r % 4)
//     if r % 8 + j == i) for i in range(16)]
// EXPECT: memory("multiply", "y").writes == [1] * 64
// EXPECT: coverage["whole"]
#include "common.h"

__global__ void build(int *start, int *column) {
  int At = 0;
  for (int R = 0; R < 64; ++R) {
    start[R] = At;
    for (int J = 0; J < R % 4; ++J)
      column[At++] = R % 8 + J;
  }
  start[64] = At;
}

__global__ void multiply(const int *start, const int *column, const int *x, int *y) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x, Sum = 0;
  for (int J = start[Row]; J < start[Row + 1]; ++J)
    Sum += x[column[J]];
  y[Row] = Sum;
}

int main() {
  int *Start = deviceInts(65), *Column = deviceInts(96), *X = deviceInts(16), *Y = deviceInts(64);
  build<<<1, 1>>>(Start, Column);
  multiply<<<2, 32>>>(Start, Column, X, Y);
  printResult("y", Y, 64);
}
