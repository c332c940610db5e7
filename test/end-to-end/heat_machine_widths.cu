// The four words that a thread loads are 16 bytes of one instruction in the machine code, and a
// request of 4 wavefronts: 8 per 256 threads. LLVM knows too little of the array's alignment to
// join the loads: clones that are made before the machine code count four requests of a word each,
// whose stride of four words makes four lanes share each bank.
// BUILD: -O2 -g
// BUILD: -O2
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("sum", "Tile") if l.access == "load"] == [("load", 8, 256, 32, 32)]
// EXPECT: sum(l.requests for l in heat_lines("sum", "Tile") if l.access == "store") == 32
// EXPECT: kernel("sum").data["heat"]["shared_requests_of_ptx"] == 0
#include "common.h"

__global__ void sum(const int *In, int *Out) {
  __shared__ int Tile[1024];
  const int T = threadIdx.x;
  for (int I = 0; I < 4; ++I)
    Tile[T + 256 * I] = In[T + 256 * I];
  __syncthreads();
  Out[T] = Tile[4 * T] + Tile[4 * T + 1] + Tile[4 * T + 2] + Tile[4 * T + 3];
}

int main() {
  int *In = deviceInts(1024), *Out = deviceInts(256);
  sum<<<1, 256>>>(In, Out);
  printResult("out", Out, 256);
}
