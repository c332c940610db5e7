// sinf and cosf reduce large arguments in an array of CUDA's math library, which the program cannot
// keep in registers. An array of the program with as many elements is its own.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted((f["kernel"]["name"].split("(")[0], f["kind"], f["severity"]) for f in
//     summary["findings"] if f["pattern"] == "local_memory")
//     == [("lookup", "run_time_index", "low"), ("waves", "math_library", "info")]
// EXPECT-OUTPUT: 0.500 7

#include <cstdio>

__global__ void waves(const float *degrees, float *products) {
  float angle = degrees[threadIdx.x] * 3.14159265f / 180;
  products[threadIdx.x] = sinf(angle) * cosf(angle);
}

__global__ void lookup(const int *at, const int *values, int *found, int n) {
  int table[7];
  for (int i = 0; i < 7; ++i)
    table[i] = values[i] + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    table[at[i]] += i;
  found[threadIdx.x] = table[at[threadIdx.x]];
}

int main() {
  constexpr int N = 32;
  float *degrees, *products;
  int *at, *values, *found;
  cudaMallocManaged(&degrees, N * sizeof(float));
  cudaMallocManaged(&products, N * sizeof(float));
  cudaMallocManaged(&at, N * sizeof(int));
  cudaMallocManaged(&values, 7 * sizeof(int));
  cudaMallocManaged(&found, N * sizeof(int));
  for (int i = 0; i < N; ++i) {
    degrees[i] = 45;
    at[i] = i % 7;
  }
  for (int i = 0; i < 7; ++i)
    values[i] = 1 + i;
  waves<<<1, N>>>(degrees, products);
  lookup<<<1, N>>>(at, values, found, 3); // at[0] to at[2] are 0 to 2: table[3] keeps 4 + 3
  cudaDeviceSynchronize();
  printf("%.3f %d\n", products[0], found[3]);
}
