// A program for two devices, which the tests devices_*.cu profile: each has objects of its own,
// two threads launch at the same time, data goes from one device to the other by copies and by
// access to the other's memory, and events of one are waited for on the other.
#ifndef GMPROF_TEST_DEVICES_H
#define GMPROF_TEST_DEVICES_H

#include "common.h"
#include <numeric>
#include <thread>
#include <vector>

constexpr int Threads = 64;

/// Elements of an array, and threads of a launch, on device D.
constexpr int sizeOn(int D) { return 256 * (D + 1); }

__global__ void turn(int *out, const int *in) {
  __shared__ int tile[Threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[Threads - 1 - threadIdx.x];
}

// The index comes from data, so accesses must be counted.
__global__ void gather(int *out, const int *in, const int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += in[index[i]];
}

__global__ void add(int *total, const int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&total[data[i] % 8], 1);
}

struct OnDevice {
  int *Data = nullptr, *Turned = nullptr, *Sums = nullptr;
  cudaStream_t Stream = nullptr;
  cudaEvent_t Done = nullptr;
};

/// Allocates three arrays; launches turn twice and gather four times, and each once more on the
/// second device.
inline void work(OnDevice &My, int D) {
  CHECK(cudaSetDevice(D));
  CHECK(cudaStreamCreate(&My.Stream));
  CHECK(cudaEventCreateWithFlags(&My.Done, cudaEventDisableTiming));
  const int N = sizeOn(D);
  std::vector<int> Numbers(N);
  std::iota(Numbers.begin(), Numbers.end(), 0);
  CHECK(cudaMalloc(&My.Data, N * sizeof(int)));
  CHECK(cudaMemcpy(My.Data, Numbers.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&My.Turned, N * sizeof(int)));
  CHECK(cudaMalloc(&My.Sums, N * sizeof(int)));
  CHECK(cudaMemsetAsync(My.Sums, 0, N * sizeof(int), My.Stream));
  for (int I = 0; I < 2 + D; ++I)
    turn<<<N / Threads, Threads, 0, My.Stream>>>(My.Turned, My.Data);
  for (int I = 0; I < 4 + D; ++I)
    gather<<<N / Threads, Threads, 0, My.Stream>>>(My.Sums, My.Turned, My.Data);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(My.Done, My.Stream));
}

int main() {
  int Devices = 0;
  CHECK(cudaGetDeviceCount(&Devices));
  if (Devices < 2) {
    std::printf("%d devices\n", Devices);
    return 1;
  }
  OnDevice Of[2];
  std::thread First(work, std::ref(Of[0]), 0), Second(work, std::ref(Of[1]), 1);
  First.join();
  Second.join();

  // The second device's stream waits for the first one, and copies its result.
  const int N = sizeOn(0);
  int *Copied = nullptr, *Totals = nullptr;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&Copied, N * sizeof(int)));
  CHECK(cudaStreamWaitEvent(Of[1].Stream, Of[0].Done, 0));
  CHECK(cudaMemcpyPeerAsync(Copied, 1, Of[0].Sums, 0, N * sizeof(int), Of[1].Stream));
  gather<<<N / Threads, Threads, 0, Of[1].Stream>>>(Of[1].Sums, Copied, Of[1].Data);

  // The second device reads the first one's memory directly.
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  gather<<<N / Threads, Threads, 0, Of[1].Stream>>>(Of[1].Sums, Of[0].Turned, Of[1].Data);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(Of[1].Stream));

  // Both devices add to the same managed memory, one after the other.
  CHECK(cudaMallocManaged(&Totals, 8 * sizeof(int)));
  Totals[0] = Totals[1] = 0;
  for (int D : {0, 1}) {
    CHECK(cudaSetDevice(D));
    add<<<sizeOn(D) / Threads, Threads, 0, Of[D].Stream>>>(Totals, Of[D].Data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(Of[D].Stream));
  }
  std::printf("totals: %d %d\n", Totals[0], Totals[1]);
  for (int D : {0, 1}) {
    CHECK(cudaSetDevice(D));
    printResult(D == 0 ? "first" : "second", Of[D].Sums, sizeOn(D));
  }

  // Memory of both devices is released while the first one is current.
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(Copied));
  CHECK(cudaFree(Totals));
  for (OnDevice &Each : Of) {
    CHECK(cudaFree(Each.Data));
    CHECK(cudaFree(Each.Turned));
    CHECK(cudaFree(Each.Sums));
    CHECK(cudaStreamDestroy(Each.Stream));
    CHECK(cudaEventDestroy(Each.Done));
  }
}

#endif
