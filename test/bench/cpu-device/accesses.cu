// Speed of the CPU device in memory accesses per second of CPU time: build with gmprof-clang++ -O3
// and run with GMPROF_OPTIONS=profile=off (or shared) on a machine without a GPU. Processor time is
// the sum over all cores, whose number GMPROF_CPU_THREADS sets; other programs on the machine
// affect only elapsed time.

#include "../programs/bench.h"
#include <chrono>
#include <ctime>

constexpr int Repetitions = 20;
constexpr int N = 1 << 22, Threads = 256, T = 16, Side = 256;

__global__ void saxpy(float a, const float *x, float *y) {
  const int I = blockIdx.x * Threads + threadIdx.x;
  y[I] = a * x[I] + y[I];
}

__global__ void naiveMatmul(const float *A, const float *B, float *C) {
  const int Row = blockIdx.y * T + threadIdx.y, Col = blockIdx.x * T + threadIdx.x;
  float Sum = 0.0f;
  for (int K = 0; K < Side; ++K)
    Sum += A[Row * Side + K] * B[K * Side + Col];
  C[Row * Side + Col] = Sum;
}

__global__ void tiledMatmul(const float *A, const float *B, float *C) {
  __shared__ float a[T][T], b[T][T];
  const int X = threadIdx.x, Y = threadIdx.y, Row = blockIdx.y * T + Y, Col = blockIdx.x * T + X;
  float Sum = 0.0f;
  for (int K = 0; K < Side; K += T) {
    a[Y][X] = A[Row * Side + K + X];
    b[Y][X] = B[(K + Y) * Side + Col];
    __syncthreads();
    for (int I = 0; I < T; ++I)
      Sum += a[Y][I] * b[I][X];
    __syncthreads();
  }
  C[Row * Side + Col] = Sum;
}

template <typename LaunchFn> void measure(const char *Name, double Accesses, LaunchFn Launch) {
  Launch(); // compiles
  CHECK(cudaDeviceSynchronize());
  const std::clock_t Begin = std::clock();
  const auto Started = std::chrono::steady_clock::now();
  for (int Run = 0; Run < Repetitions; ++Run)
    Launch();
  CHECK(cudaDeviceSynchronize());
  const double Seconds = double(std::clock() - Begin) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> Elapsed = std::chrono::steady_clock::now() - Started;
  const double Millions = Accesses * Repetitions / 1e6;
  std::printf("%s: %.0f million accesses per second of processor time, %.0f per second\n", Name,
              Millions / Seconds, Millions / Elapsed.count());
}

int main() {
  const DeviceArray<float> X = deviceValues<float>(N), Y = deviceValues<float>(N),
                           Z = deviceValues<float>(N);
  const dim3 Grid(Side / T, Side / T), Block(T, T);
  const double Cubed = double(Side) * Side * Side, Squared = double(Side) * Side;
  measure("saxpy", 3.0 * N, [&] { saxpy<<<N / Threads, Threads>>>(2.0f, X, Y); });
  measure("naive matmul", 2 * Cubed + Squared, [&] { naiveMatmul<<<Grid, Block>>>(X, Y, Z); });
  measure("tiled matmul (global and shared)", 2 * Cubed + 4 * Cubed / T + Squared,
          [&] { tiledMatmul<<<Grid, Block>>>(X, Y, Z); });
}
