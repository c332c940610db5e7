// Requests of wmma's tiles by a warp. Four lanes share a row of operands in global memory: 8 rows
// of 16 bytes, in sectors of their own. They hold two floats each of a row of the sum: 8 rows of 32
// bytes, of which half a warp accesses four at a time. Rows of 512 bytes lie in the same banks, and
// so does every second row of 64 bytes. If the sum is stored by columns, 8 lanes share one, and
// four columns, two apart, lie in the same banks.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [[(l.requests, l.lanes, l.sectors) for l in heat_lines("multiply", name)
//     if l.access == "matrix"] for name in "AB"] == [[(4, 128, 32)]] * 2
// EXPECT: [[(l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("multiply", name) if l.access == "matrix"]
//     for name in ("Wide", "Packed", "Columns")] == [[(4, 128, 4 * 2 * 4, 4 * 2)],
//     [(4, 128, 4 * 2 * 2, 4 * 2)], [(8, 256, 8 * 4, 8)]]
#include "common.h"

#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void multiply(const half *A, const half *B, int *Out) {
  __shared__ float Wide[16 * 128], Packed[16 * 16], Columns[16 * 16];
  for (int I = threadIdx.x; I < 16 * 128; I += 32)
    Wide[I] = I % 7;
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> FA;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> FB;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sum;
  wmma::load_matrix_sync(FA, A, 16);
  wmma::load_matrix_sync(FB, B, 16);
  wmma::load_matrix_sync(Sum, Wide, 128, wmma::mem_row_major);
  wmma::mma_sync(Sum, FA, FB, Sum);
  wmma::store_matrix_sync(Packed, Sum, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(Columns, Sum, 16, wmma::mem_col_major);
  __syncthreads();
  for (int I = threadIdx.x; I < 16 * 16; I += 32)
    Out[I] = Packed[I] + Columns[I];
}

int main() {
  half *A, *B;
  cudaMallocManaged(&A, 256 * sizeof(half));
  cudaMallocManaged(&B, 256 * sizeof(half));
  for (int I = 0; I < 256; ++I) {
    A[I] = __float2half(I % 3);
    B[I] = __float2half(I % 5);
  }
  int *Out = deviceInts(256);
  multiply<<<1, 32>>>(A, B, Out);
  printResult("sums", Out, 256);
}
