// A counter of one byte for each lane and bin. With a row for each lane, the lanes that count the
// same bin access one bank. Rows that are a word longer, and interleaved bins, avoid that.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: {(f["kernel"]["name"].split("(")[0], f["kind"], f["evidence"]["wavefronts_per_request"])
//     for f in summary["findings"] if f["pattern"] == "bank_conflict"} == {
//     ("rows", "load", 32), ("rows", "load_and_store", 32), ("rows", "store", 32)}
// The compiler zeroes several counters at a time.
// EXPECT: {f["suggestion"] for f in summary["findings"] if f["pattern"] == "bank_conflict"} == {
//     "Pad each row by 4 elements (unsigned char Counters[32][260]), so that the words of a "
//     "column lie in different banks. Accesses of several elements (heat_byte_counters.cu:24) "
//     "must use the new row length, too."}
// EXPECT: {k: kernel(k).data["heat"]["wavefronts"] - kernel(k).data["heat"]["ideal_wavefronts"]
//     for k in ("padded", "interleaved")} == {"padded": 0, "interleaved": 0}
// EXPECT-OUTPUT: 3 3 3
#include "common.h"

constexpr int Values = 64, Bins = 256;

/// Counts the values; At returns the counter of a bin of this lane.
template <typename Counter> __device__ void count(Counter At, const unsigned char *In, int *Out) {
#pragma unroll 1
  for (int Bin = 0; Bin < Bins; ++Bin)
    At(Bin) = 0;
#pragma unroll 1
  for (int I = 0; I < Values; ++I)
    ++At(In[I]);
  Out[threadIdx.x] = At(In[0]);
}

__global__ void rows(const unsigned char *In, int *Out) {
  __shared__ unsigned char Counters[32][256];
  count([&](int Bin) -> unsigned char & { return Counters[threadIdx.x][Bin]; }, In, Out);
}

__global__ void padded(const unsigned char *In, int *Out) {
  __shared__ unsigned char Counters[32][260];
  count([&](int Bin) -> unsigned char & { return Counters[threadIdx.x][Bin]; }, In, Out);
}

__global__ void interleaved(const unsigned char *In, int *Out) {
  __shared__ unsigned char Counters[64][32][4];
  count([&](int Bin) -> unsigned char & { return Counters[Bin / 4][threadIdx.x][Bin % 4]; }, In,
        Out);
}

int main() {
  unsigned char Host[Values], *In = nullptr;
  int Counts[3][32], *Out = nullptr;
  for (int I = 0; I < Values; ++I)
    Host[I] = I % 27 * 9;
  CHECK(cudaMalloc(&In, sizeof(Host)));
  CHECK(cudaMalloc(&Out, sizeof(Counts)));
  CHECK(cudaMemcpy(In, Host, sizeof(Host), cudaMemcpyHostToDevice));
  rows<<<1, 32>>>(In, Out);
  padded<<<1, 32>>>(In, Out + 32);
  interleaved<<<1, 32>>>(In, Out + 64);
  CHECK(cudaMemcpy(Counts, Out, sizeof(Counts), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", Counts[0][31], Counts[1][31], Counts[2][31]);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
