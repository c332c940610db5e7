#include <cmath>
#include <cstdio>

__global__ void kernel(double *X, float *Y) {
  *X = nan("");
  *Y = nanf("1");
}

int main() {
  double *X;
  float *Y;
  cudaMallocManaged(&X, sizeof(*X));
  cudaMallocManaged(&Y, sizeof(*Y));
  kernel<<<1, 1>>>(X, Y);
  cudaDeviceSynchronize();
  std::printf("device %d %d\n", std::isnan(*X), std::isnan(*Y));
  std::printf("host %d %d\n", std::isnan(nan("")), std::isnan(nanf("1")));
  cudaFree(X);
  cudaFree(Y);
}
