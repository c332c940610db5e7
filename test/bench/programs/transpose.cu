// Matrix transposition through a padded 32 x 32 tile.
#include "bench.h"

constexpr int N = 8192, T = 32, Rows = 8;

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[T][T + 1];
  int X = blockIdx.x * T + threadIdx.x, Y = blockIdx.y * T + threadIdx.y;
  for (int J = 0; J < T; J += Rows)
    tile[threadIdx.y + J][threadIdx.x] = in[(Y + J) * N + X];
  __syncthreads();
  X = blockIdx.y * T + threadIdx.x;
  Y = blockIdx.x * T + threadIdx.y;
  for (int J = 0; J < T; J += Rows)
    out[(Y + J) * N + X] = tile[threadIdx.x][threadIdx.y + J];
}

int main() {
  const DeviceArray<float> In = deviceValues<float>(size_t(N) * N), Out(size_t(N) * N);
  launch("transpose", [&] { transpose<<<dim3(N / T, N / T), dim3(T, Rows)>>>(In, Out); });
  printSum("transpose", Out);
}
