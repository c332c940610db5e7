// A five-point stencil on a grid of any size: the blocks at its edges guard their
// accesses, which depend on the block's index therefore.
#include "bench.h"

constexpr int TX = 32, TY = 16, Width = 8190, Height = 8191;

__global__ void stencil(const float *in, float *out, int width, int height) {
  __shared__ float tile[TY + 2][TX + 2];
  const int X = threadIdx.x + 1, Y = threadIdx.y + 1;
  const int Col = blockIdx.x * TX + threadIdx.x, Row = blockIdx.y * TY + threadIdx.y;
  const int At = Row * width + Col;
  const bool Inside = Col < width && Row < height;
  if (Inside) {
    tile[Y][X] = in[At];
    if (Y == 1)
      tile[0][X] = Row > 0 ? in[At - width] : 0.0f;
    if (Y == TY || Row == height - 1)
      tile[Y + 1][X] = Row < height - 1 ? in[At + width] : 0.0f;
    if (X == 1)
      tile[Y][0] = Col > 0 ? in[At - 1] : 0.0f;
    if (X == TX || Col == width - 1)
      tile[Y][X + 1] = Col < width - 1 ? in[At + 1] : 0.0f;
  }
  __syncthreads();
  if (Inside)
    out[At] = 0.25f * (tile[Y - 1][X] + tile[Y + 1][X] + tile[Y][X - 1] + tile[Y][X + 1]);
}

int main() {
  constexpr size_t Points = size_t(Width) * Height;
  const DeviceArray<float> In = deviceValues<float>(Points), Out(Points);
  const dim3 Grid((Width + TX - 1) / TX, (Height + TY - 1) / TY);
  launch("stencil", [&] { stencil<<<Grid, dim3(TX, TY)>>>(In, Out, Width, Height); });
  printSum("stencil", Out);
}
