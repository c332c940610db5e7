// An atomic addition of floats in shared memory is a loop of a load and a compare-and-swap: two
// requests, if no two threads access one word. That of integers is one instruction.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// BUILD-NVCC: -O2 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: [(l.requests, l.lanes, l.wavefronts) for l in heat_lines("add", "Floats")
//     if l.access == "atomic"] == [(8, 256, 8)]
// EXPECT: [(l.requests, l.lanes, l.wavefronts) for l in heat_lines("add", "Ints")
//     if l.access == "atomic"] == [(4, 128, 4)]
#include "common.h"

__global__ void add(const int *in, int *out) {
  __shared__ float Floats[128];
  __shared__ int Ints[128];
  const int T = threadIdx.x;
  Floats[T] = 0;
  Ints[T] = 0;
  __syncthreads();
  atomicAdd(&Floats[127 - T], 0.5f * in[T]);
  atomicAdd(&Ints[127 - T], in[T]);
  __syncthreads();
  out[T] = int(2 * Floats[T]) + Ints[T];
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(128);
  add<<<1, 128>>>(In, Out);
  printResult("out", Out, 128);
}
