// A library that allocates a workspace for itself, as cuBLAS does.
#include <cuda_runtime_api.h>

extern "C" void *makeWorkspace(size_t Bytes) {
  void *Memory = nullptr;
  cudaMalloc(&Memory, Bytes);
  return Memory;
}
