// A generic pointer leads half of a warp to shared and the other half to global memory, in one
// load: two requests, each counted in its memory.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.lanes, l.sectors, l.bytes_used)
//     for l in heat_lines("work", "in")] == [("load", 1, 32, 4, 128), ("load", 1, 16, 2, 64)]
// EXPECT: [(l["access"], l["requests"], l["lanes"], l["wavefronts"])
//     for l in kernel("work").data["heat"]["other_shared_lines"]] == [("load", 1, 16, 1)]
// EXPECT: kernel("work").data["heat"]["other_lines"] == []
#include "common.h"

__global__ void work(const int *in, int *out) {
  __shared__ int Tile[32];
  const unsigned T = threadIdx.x;
  Tile[T] = in[31 - T];
  __syncthreads();
  const int *From = T < 16 ? Tile + T : in + T;
  asm volatile("" : "+l"(From)); // clang would load from each memory by itself
  out[T] = *From;
}

int main() {
  int *In = deviceInts(32), *Out = deviceInts(32);
  work<<<1, 32>>>(In, Out);
  printResult("out", Out, 32);
}
