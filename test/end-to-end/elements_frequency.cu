// Access counts of objects' elements: objects that are accessed unevenly, and adjacent ones that
// are not.
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: {(f["object"]["name"], f["kernel"]["name"].split("(")[0]) for f in summary["findings"]
//     if f["pattern"] == "nonuniform_access_frequency"}
//     == {("Bins", "histogram"), ("Triangle", "triangular"), ("Hot", "atThreshold")}
// EXPECT: abs(finding("nonuniform_access_frequency", "Bins")["variation"]
//     - ((480**2 + 32 * 2**2 - 2**2) * 32 / 542**2 - 1)**0.5) < 1e-9
// EXPECT: abs(finding("nonuniform_access_frequency", "Triangle")["variation"]
//     - (4095 / 12)**0.5 / 32.5) < 1e-9
// EXPECT: finding("nonuniform_access_frequency", "Hot")["lower_bound"]
// EXPECT: finding("nonuniform_access_frequency", "Hot")["variation"]
//     <= ((4096**2 + 8191) * 8192 / (4096 + 8191)**2 - 1)**0.5
// EXPECT: 0 < variation("Grid", "stencil") < 0.2
// EXPECT: variation("Rows", "slices") == 0
// EXPECT: variation("Even", "triangular") == 0
#include "common.h"

__global__ void histogram(int *bins, const int *keys) { atomicAdd(&bins[keys[threadIdx.x]], 1); }

__global__ void triangular(int *even, const int *triangle) {
  int sum = 0;
  for (int j = 0; j <= threadIdx.x; ++j)
    sum += triangle[j];
  even[threadIdx.x] = sum;
}

// The points at the border of 64 x 64 are read less often than the others.
__global__ void stencil(int *out, const int *grid) {
  int x = threadIdx.x + 1, y = blockIdx.x + 1;
  const int *at = grid + 130 * y + x;
  out[130 * y + x] = at[0] + at[-1] + at[1] + at[-130] + at[130];
}

// Later launches access less of it, but each of them all of that once.
__global__ void slices(int *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    rows[i] += 1;
}

// One of 8192 elements is read by every second thread, the others by one: more often than
// counters of 8 bits can say.
__global__ void atThreshold(int *out, const int *hot, const int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = hot[index[i]];
}

int main() {
  constexpr int N = 12287;
  int *Bins, *Keys, *Even, *Triangle, *Grid, *Out, *Rows, *Hot, *Index, *Result, Values[N];
  CHECK(cudaMalloc(&Bins, 32 * sizeof(int)));
  CHECK(cudaMalloc(&Keys, 544 * sizeof(int)));
  CHECK(cudaMalloc(&Even, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Triangle, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Grid, 130 * 130 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 130 * 130 * sizeof(int)));
  CHECK(cudaMalloc(&Rows, 1024 * sizeof(int)));
  CHECK(cudaMalloc(&Hot, 8192 * sizeof(int)));
  CHECK(cudaMalloc(&Index, (N + 1) * sizeof(int)));
  CHECK(cudaMalloc(&Result, (N + 1) * sizeof(int)));
  CHECK(cudaMemset(Bins, 0, 32 * sizeof(int)));
  CHECK(cudaMemset(Triangle, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(Grid, 0, 130 * 130 * sizeof(int)));
  CHECK(cudaMemset(Rows, 0, 1024 * sizeof(int)));
  CHECK(cudaMemset(Hot, 0, 8192 * sizeof(int)));
  for (int I = 0; I < 542; ++I)
    Values[I] = I < 480 ? 7 : (I - 480) / 2 + ((I - 480) / 2 >= 7);
  CHECK(cudaMemcpy(Keys, Values, 542 * sizeof(int), cudaMemcpyHostToDevice));
  histogram<<<1, 542>>>(Bins, Keys);
  triangular<<<1, 64>>>(Even, Triangle);
  stencil<<<128, 128>>>(Out, Grid);
  for (int Length : {1024, 512, 100})
    slices<<<4, 256>>>(Rows, Length);
  for (int I = 0; I < N; ++I)
    Values[I] = I < 4095 ? 0 : I - 4095;
  CHECK(cudaMemset(Index, 0, (N + 1) * sizeof(int)));
  CHECK(cudaMemcpy(Index, Values, N * sizeof(int), cudaMemcpyHostToDevice));
  atThreshold<<<48, 256>>>(Result, Hot, Index);
  printResult("out", Even, 64);
}
