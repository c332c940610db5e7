// What the benchmark programs share. A program times its kernels with CUDA
// events and prints one line each: name, median milliseconds. The same source,
// built in several ways, gives the columns of the table (see ../bench.py).

#ifndef GMPROF_BENCH_H
#define GMPROF_BENCH_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int WarmUps = 3, Repetitions = 15;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t Error = (call);                                                                    \
    if (Error != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(Error));                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

/// N values of device memory, reproducible and not zero.
template <typename T> T *deviceValues(size_t N) {
  std::vector<T> Host(N);
  unsigned State = 12345;
  for (T &Value : Host) {
    State = State * 1664525u + 1013904223u;
    Value = T(State >> 8) / T(1 << 24);
  }
  T *Device = nullptr;
  CHECK(cudaMalloc(&Device, N * sizeof(T)));
  CHECK(cudaMemcpy(Device, Host.data(), N * sizeof(T), cudaMemcpyHostToDevice));
  return Device;
}

template <typename LaunchFn> void benchmark(const char *Name, LaunchFn Launch) {
  cudaEvent_t Begin, End;
  CHECK(cudaEventCreate(&Begin));
  CHECK(cudaEventCreate(&End));
  std::vector<float> Times;
  for (int Run = 0; Run < WarmUps + Repetitions; ++Run) {
    CHECK(cudaEventRecord(Begin));
    Launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(End));
    CHECK(cudaEventSynchronize(End));
    float Milliseconds = 0.0f;
    CHECK(cudaEventElapsedTime(&Milliseconds, Begin, End));
    if (Run >= WarmUps)
      Times.push_back(Milliseconds);
  }
  std::sort(Times.begin(), Times.end());
  std::printf("%s %.5f\n", Name, Times[Times.size() / 2]);
  CHECK(cudaEventDestroy(Begin));
  CHECK(cudaEventDestroy(End));
}

/// Prints the sum of a device array, so that builds can be compared.
inline void printSum(const char *Name, const float *Device, size_t N) {
  std::vector<float> Host(N);
  CHECK(cudaMemcpy(Host.data(), Device, N * sizeof(float), cudaMemcpyDeviceToHost));
  double Sum = 0.0;
  for (float Value : Host)
    Sum += Value;
  std::printf("# %s sum %.6g\n", Name, Sum);
}

#endif // GMPROF_BENCH_H
