// One Jacobi sweep, the input tile with its halo in shared memory.
#include "bench.h"

constexpr int TX = 32, TY = 16, Width = 8192, Height = 8192, Pitch = Width + 2;

__global__ void jacobi(const float *in, float *out) {
  __shared__ float tile[TY + 2][TX + 2];
  const int X = threadIdx.x + 1, Y = threadIdx.y + 1;
  const int Col = blockIdx.x * TX + X, Row = blockIdx.y * TY + Y;
  tile[Y][X] = in[Row * Pitch + Col];
  if (Y == 1)
    tile[0][X] = in[(Row - 1) * Pitch + Col];
  if (Y == TY)
    tile[TY + 1][X] = in[(Row + 1) * Pitch + Col];
  if (X == 1)
    tile[Y][0] = in[Row * Pitch + Col - 1];
  if (X == TX)
    tile[Y][TX + 1] = in[Row * Pitch + Col + 1];
  __syncthreads();
  out[Row * Pitch + Col] =
      0.25f * (tile[Y - 1][X] + tile[Y + 1][X] + tile[Y][X - 1] + tile[Y][X + 1]);
}

int main() {
  constexpr size_t Points = size_t(Pitch) * (Height + 2);
  float *In = deviceValues<float>(Points), *Out = deviceValues<float>(Points);
  benchmark("jacobi", [&] { jacobi<<<dim3(Width / TX, Height / TY), dim3(TX, TY)>>>(In, Out); });
  printSum("jacobi", Out, Points);
}
