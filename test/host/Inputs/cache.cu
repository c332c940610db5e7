// Requests whose number and sectors follow from the source. All arrays are aligned to 256 bytes;
// blocks have 64 threads, 2 warps.

#include <cstdio>

/// Its accesses are in a function of their own.
__device__ __noinline__ float load(const float *From, int At) { return From[At]; }

__global__ void kinds(const float *In, float *Out, unsigned *Bins, const int *Index, double2 *Pairs,
                      int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = In[I];       // line 14: 4 sectors of each whole warp
  Sum += In[Index[I]];     // line 15: Index 4, In: every other warp is scattered
  Out[32 * I] = Sum;       // line 16: a sector for each lane
  Pairs[I] = {Sum, 2};     // line 17: 16 bytes of each lane, 16 sectors
  atomicAdd(&Bins[0], 1u); // line 18: a reduction of one sector
  if (atomicAdd(&Bins[8 * (I % 4)], 1u) == ~0u) // line 19: 4 sectors
    Out[0] = 0;                                 // line 20: never
  if (I % 2)
    Out[I] = 1;                          // line 22: half of the lanes
  Out[1] = load(In, 0) + __ldcg(&In[8]); // line 23: one sector each
}

/// Threads have an array of their own, which is too irregular for registers.
__global__ void local(int *Out, int N) {
  int Own[64];
  for (int I = 0; I < 64; ++I)
    Own[(I * 7 + N) % 64] = I;         // line 30: 64 times a store of each warp
  Out[threadIdx.x] = Own[threadIdx.x]; // line 31: lanes read different words
}

int main() {
  constexpr int N = 128 - 5;
  float *In, *Out;
  unsigned *Bins;
  int *Index, Host[128];
  double2 *Pairs;
  cudaMalloc(&In, 128 * 32 * sizeof(float));
  cudaMalloc(&Out, 128 * 32 * sizeof(float));
  cudaMalloc(&Bins, 128);
  cudaMalloc(&Index, sizeof(Host));
  cudaMalloc(&Pairs, 128 * sizeof(double2));
  for (int I = 0; I < 128; ++I)
    Host[I] = I / 32 % 2 ? (I * 8 * 37) % 4096 : 0;
  cudaMemset(In, 0, 128 * 32 * sizeof(float));
  cudaMemcpy(Index, Host, sizeof(Host), cudaMemcpyHostToDevice);
  kinds<<<2, 64>>>(In, Out, Bins, Index, Pairs, N);
  local<<<1, 64>>>(Index, 3);
  const cudaError_t Error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(Error));
  return Error != cudaSuccess;
}
