// smooth_v1.cu with two arrays that change places.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int N = 1 << 16, Steps = 10;

__global__ void smooth(const float *From, float *To) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  To[I] = (From[max(I - 1, 0)] + From[I] + From[min(I + 1, N - 1)]) / 3;
}

int main() {
  std::vector<float> Series(N);
  for (int I = 0; I < N; ++I)
    Series[I] = static_cast<float>(I * 7919 % 1000);

  float *Values, *Next;
  cudaMalloc(&Values, N * sizeof(float));
  cudaMemcpy(Values, Series.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMalloc(&Next, N * sizeof(float));
  for (int Step = 0; Step < Steps; ++Step) {
    smooth<<<N / 256, 256>>>(Values, Next);
    std::swap(Values, Next);
  }
  cudaFree(Next);
  cudaMemcpy(Series.data(), Values, N * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(Values);
  std::printf("largest value %.1f\n", *std::max_element(Series.begin(), Series.end()));
}
