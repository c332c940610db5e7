// A library that Python programs load: memory of the device, and a kernel.

#include <cuda_runtime.h>

__global__ void scale(float *Values, float Factor, int Count) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Values[I] *= Factor;
}

extern "C" void *allocate(size_t Bytes) {
  void *Memory = nullptr;
  return cudaMalloc(&Memory, Bytes) == cudaSuccess ? Memory : nullptr;
}

extern "C" int scaleValues(void *Values, float Factor, int Count) {
  scale<<<(Count + 127) / 128, 128>>>(static_cast<float *>(Values), Factor, Count);
  return cudaDeviceSynchronize();
}

extern "C" int release(void *Memory) { return cudaFree(Memory); }
