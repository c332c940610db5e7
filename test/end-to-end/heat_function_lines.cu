// Two functions that are not inlined read through pointers that come from memory: which of them
// accesses which object is known by the lines that the maps have for each sector.
// BUILD: -O2 -g
// BUILD: -O0 -g -Xcuda-ptxas --suppress-stack-size-warning
// OPTIONS: profile=heat
// EXPECT: sorted((summary["objects"][o["object"]]["bytes"], l["function"], l["source"]["line"],
//     l["requests"], l["sectors"]) for o in kernel("both").data["heat"]["objects"]
//     for l in o["lines"] if l["function"] != "both") == [
//     (132, "near", 17, 1, 4), (260, "far", 19, 1, 8)]
// EXPECT: kernel("both").data["heat"]["other_lines"] == []
#include "common.h"

struct Tables {
  const int *First, *Second;
};

__device__ __noinline__ int near(const int *p, int i) { return p[i]; }

__device__ __noinline__ int far(const int *p, int i) { return p[2 * i]; }

__global__ void both(const Tables *tables, int *out) {
  const int T = static_cast<int>(threadIdx.x);
  out[T] = near(tables->First, T) + far(tables->Second, T);
}

int main() {
  const Tables T = {deviceInts(33), deviceInts(65)};
  Tables *OnDevice = nullptr;
  CHECK(cudaMalloc(&OnDevice, sizeof(T)));
  CHECK(cudaMemcpy(OnDevice, &T, sizeof(T), cudaMemcpyHostToDevice));
  int *Out = deviceInts(32);
  both<<<1, 32>>>(OnDevice, Out);
  printResult("both", Out, 32);
}
