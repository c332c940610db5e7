// Blurs an image, version 2: the tile has the elements that a block needs, its part of the image
// and one more on each side.

#include "../example.h"

constexpr int Width = 32, Height = 8; // of a block's part: an element for each thread

/// The input has one row and column more on each side.
__global__ void blur(const float *in, float *out, int N) {
  __shared__ float tile[Height + 2][Width + 2];
  const int Row = blockIdx.y * Height, Column = blockIdx.x * Width;
  for (int Y = threadIdx.y; Y < Height + 2; Y += Height)
    for (int X = threadIdx.x; X < Width + 2; X += Width)
      tile[Y][X] = in[(Row + Y) * (N + 2) + Column + X];
  __syncthreads();
  float Sum = 0.0f;
  for (int Y = 0; Y < 3; ++Y)
    for (int X = 0; X < 3; ++X)
      Sum += tile[threadIdx.y + Y][threadIdx.x + X];
  out[(Row + threadIdx.y) * N + Column + threadIdx.x] = Sum / 9;
}

int main(int Argc, char **Argv) {
  const int N = problemSize(Argc, Argv, 64, Width), Pitch = N + 2;
  Random Numbers;
  std::vector<float> In(size_t(Pitch) * Pitch);
  for (float &Each : In)
    Each = float(Numbers.below(256));
  const DeviceArray<float> DeviceIn(In), DeviceOut(size_t(N) * N);
  launch("blur", [&] {
    blur<<<dim3(N / Width, N / Height), dim3(Width, Height)>>>(DeviceIn, DeviceOut, N);
  });

  // Sums of small integers are exact.
  const std::vector<float> Out = DeviceOut.download();
  bool Passed = true;
  double Total = 0.0;
  for (int Row = 0; Row < N; ++Row)
    for (int Column = 0; Column < N; ++Column) {
      float Sum = 0.0f;
      for (int I = 0; I < 9; ++I)
        Sum += In[size_t(Row + I / 3) * Pitch + Column + I % 3];
      Passed = Passed && Out[size_t(Row) * N + Column] == Sum / 9;
      Total += Sum;
    }
  std::printf("blur v2: %d x %d points, sum of 9 points each %.0f: %s\n", N, N, Total,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}
