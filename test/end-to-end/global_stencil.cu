// A stencil whose guard excludes the border: row r is read once for each adjacent row in 1 to 62,
// and columns likewise. The index of the upper left neighbour is not negative because of two guards
// together.
// BUILD: -O2 -g
// BUILD: -O3 -g
// OPTIONS: profile=global
// EXPECT: memory("stencil", "in").reads ==
//     [r * c for r in [1, 2] + [3] * 60 + [2, 1] for c in [1, 2] + [3] * 60 + [2, 1]]
// EXPECT: memory("stencil", "out").writes ==
//     [int(0 < r < 63 and 0 < c < 63) for r in range(64) for c in range(64)]
// EXPECT: {s["rule"] for s in memory("stencil", "in").use["sites"]} == {"closed_form"}
// EXPECT: summary["kernels"][0]["global_memory"]["launches_by_closed_forms"] == 1
// EXPECT: coverage["whole"]
#include "common.h"

constexpr int Width = 64;

__global__ void stencil(const int *in, int *out, int n) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < n - 1 && J < n - 1 && I > 0 && J > 0)
    out[I * Width + J] =
        in[(I - 1) * Width + (J - 1)] + in[(I - 1) * Width + J] + in[(I - 1) * Width + (J + 1)] +
        in[I * Width + (J - 1)] + in[I * Width + J] + in[I * Width + (J + 1)] +
        in[(I + 1) * Width + (J - 1)] + in[(I + 1) * Width + J] + in[(I + 1) * Width + (J + 1)];
}

int main() {
  int *In = deviceInts(Width * Width), *Out = deviceInts(Width * Width);
  stencil<<<dim3(5, 9), dim3(16, 8)>>>(In, Out, Width);
  printResult("out", Out, Width * Width);
}
