// Blocks of 16 x 16 threads: a warp has two rows of 16 lanes, so that a request has no single
// stride. With swapped indices a request takes a sector for each of 16 columns, of which it uses
// two words; the ideal for 32 words is 4 sectors. The innocent kernels read rows of 16 or 8 words,
// also at addresses that are not multiples of a sector.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted((f["pattern"], f["kind"], f["object"]["name"],
//     f["kernel"]["name"].split("(")[0], f["evidence"]["sectors_per_request"],
//     f["evidence"]["ideal_sectors_per_request"]) for f in summary["findings"])
//     == [("uncoalesced_access", "load", "A", "swapped", 16, 4),
//         ("uncoalesced_access", "load", "A", "swappedProduct", 16, 2),
//         ("uncoalesced_access", "store", "B", "swapped", 16, 4),
//         ("uncoalesced_access", "store", "B", "transpose", 16, 4)]
#include <cstdio>

constexpr int N = 128;

__global__ void transpose(const float *A, float *B) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  B[X * N + Y] = A[Y * N + X];
}

__global__ void swapped(const float *A, float *B) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  B[X * N + Y] = A[X * N + Y] * 2;
}

// The lanes of a row read 16 rows of A; all 32 lanes read 16 different words.
__global__ void swappedProduct(const float *A, float *Sums) {
  const int X = threadIdx.x, Y = threadIdx.y;
  float Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[(blockIdx.x * 16 + X) * N + K] * static_cast<float>(Y);
  Sums[blockIdx.x * 256 + Y * 16 + X] = Sum;
}

__global__ void copy(const float *A, float *B) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  B[Y * N + X] = A[Y * N + X];
}

// Blocks of 8 x 8 threads: rows of 8 words, of which two in three begin inside a sector.
__global__ void blur(const float *A, float *B) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  float Sum = 0;
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 3; ++J)
      Sum += A[(Y + I) * (N + 8) + X + J];
  B[Y * N + X] = Sum;
}

int main() {
  float *A, *B;
  cudaMalloc(&A, (N + 8) * (N + 8) * sizeof(float));
  cudaMalloc(&B, N * N * sizeof(float));
  cudaMemset(A, 0, (N + 8) * (N + 8) * sizeof(float));
  const dim3 Blocks(N / 16, N / 16), Threads(16, 16);
  transpose<<<Blocks, Threads>>>(A, B);
  swapped<<<Blocks, Threads>>>(A, B);
  swappedProduct<<<N / 16, Threads>>>(A, B);
  copy<<<Blocks, Threads>>>(A, B);
  blur<<<dim3(N / 8, N / 8), dim3(8, 8)>>>(A, B);
  float First = 1;
  cudaMemcpy(&First, B, sizeof(First), cudaMemcpyDeviceToHost);
  std::printf("%g\n", First);
  cudaFree(A);
  cudaFree(B);
  return 0;
}
