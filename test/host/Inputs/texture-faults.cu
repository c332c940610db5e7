// Accesses that end a kernel, one for each argument. Prints the error that the host sees.

#include "../../../examples/example.h"
#include <cstring>
#include <cuda_runtime.h>

__global__ void outside(cudaSurfaceObject_t Surface) {
  surf2Dwrite(1.0f, Surface, 32, 0); // a row has bytes 0 to 31
}

__global__ void misaligned(cudaSurfaceObject_t Surface) { surf2Dwrite(1.0f, Surface, 6, 0); }

__global__ void element(cudaTextureObject_t Texture) {
  if (tex1Dfetch<float>(Texture, 0) != 0)
    printf("it was read\n");
}

cudaSurfaceObject_t surface() {
  cudaArray_t Array;
  const cudaChannelFormatDesc Format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&Array, &Format, 8, 4, cudaArraySurfaceLoadStore));
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeArray;
  Resource.res.array.array = Array;
  cudaSurfaceObject_t Surface;
  CHECK(cudaCreateSurfaceObject(&Surface, &Resource));
  return Surface;
}

cudaTextureObject_t textureOfHostMemory() {
  alignas(512) static float Data[16] = {1};
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeLinear;
  Resource.res.linear.devPtr = Data;
  Resource.res.linear.desc = cudaCreateChannelDesc<float>();
  Resource.res.linear.sizeInBytes = sizeof(Data);
  const cudaTextureDesc Description = {};
  cudaTextureObject_t Texture;
  CHECK(cudaCreateTextureObject(&Texture, &Resource, &Description, nullptr));
  return Texture;
}

int main(int, char **Arguments) {
  if (!std::strcmp(Arguments[1], "outside"))
    outside<<<1, 1>>>(surface());
  else if (!std::strcmp(Arguments[1], "misaligned"))
    misaligned<<<1, 1>>>(surface());
  else
    element<<<1, 1>>>(textureOfHostMemory());
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
