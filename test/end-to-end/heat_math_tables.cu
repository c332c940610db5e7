// sin reads the coefficients of a polynomial from a table of CUDA's mathematical functions in
// global memory: 6 doubles at the beginning of one of two rows of 64 bytes, by three vector loads.
// Consecutive integers have angles in even and in odd quadrants, so that each of these requests
// reads a sector of either row. The table is no object, and nothing is said about it.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l["access"], l["requests"], l["sectors"]) for l in
//     kernel("work").data["heat"]["other_lines"]] == [("load", 2 * 3, 2 * 3 * 2)]
// EXPECT: [(l.access, l.requests, l.sectors)
//     for l in heat_lines("work", "Out")] == [("store", 2, 2 * 8)]
// EXPECT: [kernel("work").data["heat"][c] for c in ("requests", "sectors")] == [8, 28]
// EXPECT: coverage["accesses"]["outside"] == 0
// EXPECT: heat_findings() == []
#include "common.h"

__global__ void work(double *out) { out[threadIdx.x] = sin(double(threadIdx.x)); }

int main() {
  double *Out = nullptr;
  CHECK(cudaMalloc(&Out, 64 * sizeof(double)));
  work<<<1, 64>>>(Out);
  CHECK(cudaDeviceSynchronize());
  double Host[64];
  CHECK(cudaMemcpy(Host, Out, sizeof(Host), cudaMemcpyDeviceToHost));
  for (double V : Host)
    printf("%.12f\n", V);
}
