// A warp calls functions of its own file and of another one, whose loads are known by their lines:
// `mine` reads 32 adjacent words from 4 sectors, `theirs` every other word, and its callee `second`
// adjacent words again. `both`, which reads every fourth word, is in both files and called from
// both.
// FILES: heat_units_other.cu
// BUILD: -O2 -g -fgpu-rdc
// BUILD: -O0 -g -fgpu-rdc
// OPTIONS: profile=heat
// EXPECT: sorted((l["function"], l["source"]["line"], l["requests"], l["lanes"], l["sectors"])
//     for o in kernel("units").data["heat"]["objects"] for l in o["lines"]
//     if l["access"] == "load") == [("both", 2, 2, 64, 32), ("mine", 22, 1, 32, 4),
//     ("second", 4, 1, 32, 4), ("theirs", 7, 1, 32, 8)]
// EXPECT: kernel("units").data["heat"]["not_inlined_requests"] == 0
// EXPECT: kernel("units").data["heat"]["requests"] == 6
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("requests", 6)]
#include "common.h"

#include "Inputs/heat_units.h"

__device__ int theirs(const volatile int *p, int i);

__device__ __noinline__ int mine(const volatile int *p, int i) { return p[i]; }

__global__ void units(const int *in, int *out) {
  const int T = threadIdx.x;
  out[T] = mine(in, T) + theirs(in, T) + both(in, T);
}

int main() {
  int *In = deviceInts(128), *Out = deviceInts(32);
  units<<<1, 32>>>(In, Out);
  printResult("units", Out, 32);
}
