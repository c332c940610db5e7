// nvcc leaves loops of four iterations, which load two neighbouring words of each row. ptxas
// unrolls them, and joins the loads of two iterations: two instructions of 16 bytes per row, where
// the PTX has eight of 4. 16 bytes per lane take two wavefronts even if all lanes of a warp read
// one address. The loads of columns stay as they are.
// BUILD-NVCC: -O3 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: [(l.requests, l.wavefronts) for l in heat_lines("multiply", "Rows")
//     if l.access == "load"] == [(8 * 16, 8 * 16 * 2)]
// EXPECT: sum(l.requests for l in heat_lines("multiply", "Columns") if l.access == "load") == 8 * 8
// EXPECT: kernel("multiply").data["heat"]["shared_requests_of_ptx"] == 0
#include "common.h"

__global__ void multiply(const int *A, const int *B, int *C) {
  __shared__ int Rows[64 * 8], Columns[8 * 32];
  const int T = threadIdx.x, Column = T % 32, FirstRow = T / 32 * 8;
  Rows[T] = A[T];
  Rows[T + 256] = A[T + 256];
  Columns[T] = B[T];
  __syncthreads();
  int Sums[8] = {};
  for (int K = 0; K < 8; ++K)
    for (int Row = 0; Row < 8; ++Row)
      Sums[Row] += Rows[(FirstRow + Row) * 8 + K] * Columns[K * 32 + Column];
  for (int Row = 0; Row < 8; ++Row)
    C[(FirstRow + Row) * 32 + Column] = Sums[Row];
}

int main() {
  int *A = deviceInts(64 * 8), *B = deviceInts(8 * 32), *C = deviceInts(64 * 32);
  multiply<<<1, 256>>>(A, B, C);
  printResult("product", C, 64 * 32);
}
