// Atomics that accumulate in few elements: 256 threads add to 8 floats that data chooses, or to
// one. A warp that adds up first, and heads of lists that data scatters, are innocent.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: {(f["pattern"], f["kind"], f["object"]["name"], f["evidence"]["atomics"],
//     f["evidence"]["elements"], f["evidence"]["atomics_per_element_and_block"])
//     for f in summary["findings"]}
//     == {("hot_spot", "atomics", "sums", 256, 8, 32),
//     ("hot_spot", "atomics", "all", 256, 1, 256)}
// EXPECT: all("round otherwise" in f["suggestion"] for f in summary["findings"])
// EXPECT-OUTPUT: 512 4096 4096 1024
#include "common.h"

constexpr int N = 4096, Threads = 256;

__global__ void cluster(const int *keys, float *sums) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[keys[I] % 8], 1.0f);
}

__global__ void sum(const int *keys, float *all) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(all, keys[I] >= 0 ? 1.0f : 0.0f);
}

__global__ void sumOfWarps(const int *keys, float *reduced) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = keys[I] >= 0 ? 1.0f : 0.0f;
  for (int Offset = 16; Offset != 0; Offset /= 2)
    Sum += __shfl_down_sync(0xffffffff, Sum, Offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(reduced, Sum);
}

__global__ void link(const int *keys, int *heads, int *next) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  next[I] = atomicExch(&heads[keys[I] * 2654435761u % 1024], I);
}

int main() {
  int *Keys = deviceInts(N), *Heads = deviceInts(1024), *Next = deviceInts(N), Host[N];
  float *Sums = reinterpret_cast<float *>(deviceInts(8)),
        *All = reinterpret_cast<float *>(deviceInts(1)),
        *Reduced = reinterpret_cast<float *>(deviceInts(1)), FirstSum, TheSum, TheReduced;
  for (int I = 0; I < N; ++I)
    Host[I] = I;
  CHECK(cudaMemcpy(Keys, Host, sizeof(Host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(Heads, 0xff, 1024 * sizeof(int)));
  CHECK(cudaMemset(Sums, 0, 8 * sizeof(float)));
  CHECK(cudaMemset(All, 0, sizeof(float)));
  CHECK(cudaMemset(Reduced, 0, sizeof(float)));
  cluster<<<N / Threads, Threads>>>(Keys, Sums);
  sum<<<N / Threads, Threads>>>(Keys, All);
  sumOfWarps<<<N / Threads, Threads>>>(Keys, Reduced);
  link<<<N / Threads, Threads>>>(Keys, Heads, Next);
  CHECK(cudaMemcpy(&FirstSum, Sums, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&TheSum, All, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&TheReduced, Reduced, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(Host, Heads, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
  int Used = 0;
  for (int I = 0; I < 1024; ++I)
    Used += Host[I] >= 0;
  printf("%.0f %.0f %.0f %d\n", FirstSum, TheSum, TheReduced, Used);
}
