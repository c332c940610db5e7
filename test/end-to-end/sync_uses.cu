// Results that the host uses after a wait, and results that it does not use; repeated copies.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: summary["sync"]["uses_assumed"] == 0
// EXPECT-CPU: coverage["gaps"] == []
// EXPECT-GPU: sorted((s["api"], s["waits"], s["unnecessary"], s["needed"]) for s in
//     summary["sync"]["sites"] if s["waits"]) == [("cudaDeviceSynchronize", 1, 0, 1),
//     ("cudaDeviceSynchronize", 1, 1, 0), ("cudaDeviceSynchronize", 1, 1, 0),
//     ("cudaMemcpy", 1, 0, 1), ("cudaMemcpy", 1, 0, 1), ("cudaMemcpy", 1, 1, 0),
//     ("cudaStreamSynchronize", 1, 0, 1), ("cudaStreamSynchronize", 1, 0, 1)]
// EXPECT-CPU: {s["source"]["line"]: (s["waits"], s["unnecessary"], s["needed"], s["first_use"]
//     and s["first_use"]["line"]) for s in summary["sync"]["sites"] if s["waits"]}
//     == {34: (1, 0, 1, 35), 39: (1, 1, 0, None), 43: (1, 1, 0, None), 47: (1, 0, 1, 48),
//     53: (1, 1, 0, None), 54: (1, 0, 1, 55), 59: (1, 0, 1, 60), 63: (1, 0, 1, 65)}
// EXPECT-OUTPUT: 32790
#include "common.h"

__global__ void fill(int *Out, int N, int Value) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    Out[I] = Value + I;
}

constexpr int N = 1 << 16;

int main() {
  int *Device, *Managed, *Pinned, *Pageable = new int[N];
  CHECK(cudaMalloc(&Device, N * sizeof(int)));
  CHECK(cudaMallocManaged(&Managed, N * sizeof(int)));
  CHECK(cudaMallocHost(&Pinned, N * sizeof(int)));
  long long Sum = 0;

  // The copy's result is used.
  fill<<<1, 64>>>(Device, N, 1);
  CHECK(cudaMemcpy(Pageable, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
  Sum += Pageable[N / 2];

  // The copy's result is not used.
  fill<<<1, 64>>>(Device, N, 2);
  CHECK(cudaMemcpy(Pageable, Device, N * sizeof(int), cudaMemcpyDeviceToHost));

  // Nothing to wait for but a kernel whose results stay on the device.
  fill<<<1, 64>>>(Device, N, 3);
  CHECK(cudaDeviceSynchronize());

  // Managed memory is used.
  fill<<<1, 64>>>(Managed, N, 4);
  CHECK(cudaDeviceSynchronize());
  Sum += Managed[5];

  // Page-locked memory is used after the second wait: the first one is not needed.
  fill<<<1, 64>>>(Device, N, 5);
  CHECK(cudaMemcpyAsync(Pinned, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamSynchronize(nullptr));
  Sum += Pinned[7];

  // The memory that is copied from is written again: not before it has been read.
  CHECK(cudaMemcpyAsync(Device, Pinned, N * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaStreamSynchronize(nullptr));
  Pinned[9] = 1;

  // A system call and a function of the C library read the copied bytes.
  CHECK(cudaMemcpy(Pageable, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
  std::FILE *Nowhere = std::fopen("/dev/null", "w");
  if (std::fwrite(Pageable, sizeof(int), N, Nowhere) != size_t(N) || std::fflush(Nowhere) != 0)
    std::printf("not written\n");
  std::fclose(Nowhere);

  std::printf("%lld\n", Sum);
  delete[] Pageable;
}
