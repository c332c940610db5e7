// Requests of a rarely taken branch are apart by chance: no iteration is strided. Rows of two-byte
// elements are padded by a word.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("bank_conflict", "load", "Tile")]
// EXPECT: [f["suggestion"] for f in summary["findings"]] == [
//     "Pad each row by 2 elements (short Tile[64][66]), so that the words of a column lie in "
//     "different banks."]
// EXPECT: finding("bank_conflict", "Tile")["wavefronts_per_request"] == 32
#include "common.h"

// 31 I mod 256 exceeds 250 for 5 of each 256 threads, 33 apart.
__global__ void mark(const int *In, int *Flags) {
  const int I = blockIdx.x * 256 + threadIdx.x;
  if (In[I] * 31 % 256 > 250)
    Flags[I] = 1;
}

__global__ void columns(int *Out) {
  __shared__ short Tile[64][64];
  for (int I = threadIdx.x; I < 4096; I += 256)
    Tile[I / 64][I % 64] = I;
  __syncthreads();
  for (int I = threadIdx.x; I < 4096; I += 256)
    Out[I] = Tile[I % 64][I / 64];
}

int main() {
  int *In = deviceInts(4096), *Out = deviceInts(4096);
  mark<<<16, 256>>>(In, Out);
  columns<<<1, 256>>>(Out);
  printResult("branches", Out, 4096);
}
