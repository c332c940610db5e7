#include <cstdio>

__device__ int Halves[64];

__device__ int twice(int X) {
  if (X == 5)
    std::printf("twice %d\n", X);
  return 4 * Halves[X];
}
