// A program whose memory has several owners, of which one asks for more than the device has. The
// numbers are those of the CPU device with 256 MiB:
//
//   a 16 MiB, b 8 MiB, async 2 MiB   program
//   workspace 4 MiB                  cuBLAS (memory-library.cpp)
//   buffer of printf 1 MiB           raised limit
//   hidden 3 MiB                     unattributed: the call goes past GMProf
//   sum 34 MiB                       222 MiB are free when 1 GiB is asked for
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

extern "C" void *makeWorkspace(size_t Bytes);

constexpr size_t MiB = 1 << 20;

static void *allocate(size_t Bytes) {
  void *Memory = nullptr;
  const cudaError_t Error = cudaMalloc(&Memory, Bytes);
  if (Error != cudaSuccess)
    std::printf("%zu MiB: %s\n", Bytes / MiB, cudaGetErrorString(Error));
  return Memory;
}

int main(int Count, char **Arguments) {
  void *A = allocate(16 * MiB);
  void *B = allocate(8 * MiB);
  makeWorkspace(4 * MiB);
  void *Async = nullptr, *Hidden = nullptr;
  cudaMallocAsync(&Async, 2 * MiB, 0);
  size_t Bytes = 0;
  cudaDeviceGetLimit(&Bytes, cudaLimitPrintfFifoSize);
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, Bytes + MiB);
  using Malloc = cudaError_t (*)(void **, size_t);
  void *Library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<Malloc>(dlsym(Library, "cudaMalloc"))(&Hidden, 3 * MiB);
  if (Count > 1 && std::strcmp(Arguments[1], "fail") == 0 && !allocate(1024 * MiB))
    return 3;
  cudaFree(B);
  return A ? 0 : 1;
}
