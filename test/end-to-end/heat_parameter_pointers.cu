// A load of a kernel parameter through a pointer that can also point to global memory: those of the
// parameter are no accesses of global memory, let alone out of bounds. The second launch loads
// from global memory: one request, and one of each launch's store.
// OPTIONS: profile=heat
// OPTIONS: launch-sampling=every
// OPTIONS: heat-blocks=all
// EXPECT: summary["coverage"]["accesses"]["unattributed"] == 0
// EXPECT-CPU: sorted((l["access"], l["requests"]) for o in kernel("scale").data["heat"]["objects"]
//     for l in o["lines"]) == [("load", 1), ("store", 2)]
// EXPECT-OUTPUT: 2 3
#include "common.h"

struct Factor {
  const float *pointer;
  float value;
};

__global__ void scale(Factor factor, float *to) {
  to[threadIdx.x] = *(factor.pointer ? factor.pointer : &factor.value);
}

int main() {
  float *to, host[2], three = 3;
  CHECK(cudaMalloc(&to, 256));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMemcpy(to + 32, &three, sizeof(float), cudaMemcpyHostToDevice));
    scale<<<1, 32>>>(Factor{i ? to + 32 : nullptr, 2}, to);
    CHECK(cudaMemcpy(&host[i], to, sizeof(float), cudaMemcpyDeviceToHost));
  }
  std::printf("%g %g\n", host[0], host[1]);
  CHECK(cudaFree(to));
}
