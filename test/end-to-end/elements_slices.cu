// Objects that are used slice by slice, and ones nearby that are not.
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: {f["object"]["name"]: (f["evidence"]["slices"], f["evidence"]["largest_slice_bytes"])
//     for f in summary["findings"] if f["pattern"] == "structured_access"} == {
//     "Offsets": (4, 1024), "Columns": (8, 128), "Gathered": (4, 1024), "Two": (2, 2048)}
// EXPECT: [elements(name)["slices"] for name in ["Overlap", "All", "Copied", "Back", "Streams"]]
//     == [1, 1, 1, 1, None]
// EXPECT: finding("structured_access", "Two")["accessed_share"] == 1
#include "common.h"

__global__ void fill(int *to, int n) {
  if (threadIdx.x < n)
    to[threadIdx.x] = 1;
}

__global__ void column(int *to, int k) { to[8 * threadIdx.x + k] = 1; }

// The accessed elements depend on data.
__global__ void scatter(int *to, const int *index, int k) { to[index[256 * k + threadIdx.x]] = 1; }

int main() {
  constexpr int N = 1024;
  int *Offsets, *Columns, *Gathered, *Two, *Overlap, *All, *Copied, *Back, *Streams, *Index;
  CHECK(cudaMalloc(&Offsets, N * sizeof(int)));
  CHECK(cudaMalloc(&Columns, 256 * sizeof(int)));
  CHECK(cudaMalloc(&Gathered, N * sizeof(int)));
  CHECK(cudaMalloc(&Two, N * sizeof(int)));
  CHECK(cudaMalloc(&Overlap, N * sizeof(int)));
  CHECK(cudaMalloc(&All, N * sizeof(int)));
  CHECK(cudaMalloc(&Copied, N * sizeof(int)));
  CHECK(cudaMalloc(&Back, N * sizeof(int)));
  CHECK(cudaMalloc(&Streams, N * sizeof(int)));
  CHECK(cudaMalloc(&Index, N * sizeof(int)));
  int Values[N];
  for (int I = 0; I < N; ++I)
    Values[I] = I ^ 255; // within a slice, the other way round
  CHECK(cudaMemcpy(Index, Values, N * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(Copied, 0, N * sizeof(int)));
  for (int K = 0; K < 4; ++K)
    fill<<<1, 256>>>(Offsets + 256 * K, 256);
  for (int K = 0; K < 8; ++K)
    column<<<1, 32>>>(Columns, K);
  for (int K = 0; K < 4; ++K)
    scatter<<<1, 256>>>(Gathered, Index, K);
  // Two kernels on the first half, then two on the second.
  for (int K = 0; K < 2; ++K)
    for (int Part = 0; Part < 2; ++Part)
      fill<<<1, 512>>>(Two + 512 * K, 512 - 100 * Part);
  // The last element of each slice is the first of the next.
  for (int K = 0; K < 4; ++K)
    fill<<<1, 256>>>(Overlap + 255 * K, 256);
  for (int K = 0; K < 4; ++K)
    fill<<<1, 1024>>>(All, N);
  // All of it is set, then used in slices.
  for (int K = 0; K < 4; ++K)
    fill<<<1, 256>>>(Copied + 256 * K, 256);
  // The last launch comes back to the first slice.
  for (int K : {0, 1, 2, 3, 0})
    fill<<<1, 256>>>(Back + 256 * K, 256);
  // Slices that are used at the same time.
  CHECK(cudaDeviceSynchronize());
  cudaStream_t S[2];
  for (int K = 0; K < 2; ++K)
    CHECK(cudaStreamCreateWithFlags(&S[K], cudaStreamNonBlocking));
  for (int K = 0; K < 2; ++K)
    for (int Time = 0; Time < 2; ++Time)
      fill<<<1, 512, 0, S[K]>>>(Streams + 512 * K, 512);
  printResult("out", Index, 4);
}
