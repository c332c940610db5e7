// A member of a structure that a kernel takes by value has its name, also if the structure has a
// constructor, which device code does not contain.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("strided_access", "across_threads", "image.data")]
// EXPECT-OUTPUT: sum: 256
#include "common.h"

class Image {
public:
  int rows, columns;
  float *first = nullptr, *data = nullptr;
  __host__ Image(int rows, int columns) : rows(rows), columns(columns) {}
};

__global__ void copyColumn(Image image, float *column) {
  column[threadIdx.x] = image.data[threadIdx.x * image.columns];
}

int main() {
  constexpr int rows = 256, columns = 16;
  static float ones[rows * columns], copied[rows];
  for (float &one : ones)
    one = 1;
  Image image(rows, columns);
  float *column, sum = 0;
  CHECK(cudaMalloc(&image.data, sizeof(ones)));
  CHECK(cudaMalloc(&column, sizeof(copied)));
  CHECK(cudaMemcpy(image.data, ones, sizeof(ones), cudaMemcpyHostToDevice));
  copyColumn<<<1, rows>>>(image, column);
  CHECK(cudaMemcpy(copied, column, sizeof(copied), cudaMemcpyDeviceToHost));
  for (const float one : copied)
    sum += one;
  std::printf("sum: %g\n", sum);
}
