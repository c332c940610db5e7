// nvcc leaves a loop of five iterations, which load two neighbouring words of each of 8 rows. ptxas
// unrolls it and joins the loads of two iterations, of which the last one has none to join: two
// instructions of 16 bytes and one of 8 per row. An access of several widths is not matched: its
// requests are the PTX's, 5 per row and warp, as the summary says. Those of columns are known.
// BUILD-NVCC: -O3 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: sum(l.requests for l in heat_lines("multiply", "Rows") if l.access == "load") ==
//     8 * 8 * 5
// EXPECT: sum(l.requests for l in heat_lines("multiply", "Columns") if l.access == "load") ==
//     8 * 10
// EXPECT: kernel("multiply").data["heat"]["shared_requests_of_ptx"] == 8 * 8 * 5
// EXPECT: summary["coverage"]["gaps"] == [{"what": "requests", "reason": "counted as in the PTX: "
//     "the machine code has other instructions at their lines", "count": 8 * 8 * 5}]
#include "common.h"

__global__ void multiply(const int *A, const int *B, int *C) {
  __shared__ int Rows[64 * 16], Columns[16 * 32];
  const int T = threadIdx.x, Column = T % 32, FirstRow = T / 32 * 8;
  for (int I = T; I < 64 * 16; I += 256)
    Rows[I] = A[I];
  for (int I = T; I < 16 * 32; I += 256)
    Columns[I] = B[I];
  __syncthreads();
  int Sums[8] = {};
  for (int K = 0; K < 10; ++K)
    for (int Row = 0; Row < 8; ++Row)
      Sums[Row] += Rows[(FirstRow + Row) * 16 + K] * Columns[K * 32 + Column];
  for (int Row = 0; Row < 8; ++Row)
    C[(FirstRow + Row) * 32 + Column] = Sums[Row];
}

int main() {
  int *A = deviceInts(64 * 16), *B = deviceInts(16 * 32), *C = deviceInts(64 * 32);
  multiply<<<1, 256>>>(A, B, C);
  printResult("product", C, 64 * 32);
}
