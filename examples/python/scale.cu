// A library for Python, like an extension of PyTorch: a kernel, and a function that calls it. It
// allocates an array that it does not use.

#include <cuda_runtime.h>

__global__ void scale(float *values, float factor, int count) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < count)
    values[I] *= factor;
}

extern "C" int scaleOnDevice(float *Host, float Factor, int Count) {
  const size_t Bytes = Count * sizeof(float);
  float *Values, *Spare;
  cudaMalloc(&Values, Bytes);
  cudaMalloc(&Spare, Bytes);
  cudaMemcpy(Values, Host, Bytes, cudaMemcpyHostToDevice);
  scale<<<(Count + 127) / 128, 128>>>(Values, Factor, Count);
  cudaMemcpy(Host, Values, Bytes, cudaMemcpyDeviceToHost);
  cudaFree(Values);
  cudaFree(Spare);
  return cudaGetLastError();
}
