// Helpers of the end-to-end programs: error checks and a printed result.
#ifndef GMPROF_TEST_COMMON_H
#define GMPROF_TEST_COMMON_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t Error = (call);                                                                    \
    if (Error != cudaSuccess) {                                                                    \
      std::printf("%s: %s\n", #call, cudaGetErrorString(Error));                                   \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

/// Sets N ints of device memory to the values 0 to N - 1, in steps of Step. N and Step must
/// have no common factor.
inline void setInts(int *Device, int N, int Step = 1) {
  int *Host = new int[N];
  for (int I = 0; I < N; ++I)
    Host[I] = I * Step % N;
  CHECK(cudaMemcpy(Device, Host, N * sizeof(int), cudaMemcpyHostToDevice));
  delete[] Host;
}

/// Returns N ints of device memory with the values 0, 1, 2, …
inline int *deviceInts(int N) {
  int *Device = nullptr;
  CHECK(cudaMalloc(&Device, N * sizeof(int)));
  setInts(Device, N);
  return Device;
}

/// Waits for the device and prints a checksum that depends on every position.
inline void printResult(const char *Name, const int *Device, int N) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int *Host = new int[N];
  CHECK(cudaMemcpy(Host, Device, N * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned long long Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum = Sum * 31 + (unsigned)Host[I];
  std::printf("%s: %llu\n", Name, Sum);
  delete[] Host;
}

#endif
