// phases_v1.cu with the fixes of its findings: the field is in the host's memory during the other
// work, and is not cleared; the memory of the other work is released.
#include <cstdio>
#include <vector>

constexpr int N = 16384;

__global__ void add(int *Values, int Value) {
  Values[blockIdx.x * blockDim.x + threadIdx.x] += Value;
}
__global__ void fill(int *Values, int Value) {
  Values[blockIdx.x * blockDim.x + threadIdx.x] = Value;
}

static int lastOf(const int *Values, int Count) {
  int Last;
  cudaMemcpy(&Last, Values + Count - 1, sizeof(int), cudaMemcpyDeviceToHost);
  return Last;
}

static int round(int Number) {
  int *Scratch;
  cudaMalloc(&Scratch, 2 * N * sizeof(int));
  fill<<<2 * N / 256, 256>>>(Scratch, Number);
  int Last = lastOf(Scratch, 2 * N);
  cudaFree(Scratch);
  return Last;
}

int main() {
  std::vector<int> Host(N, 100);
  int *Field, Sum = 0;
  cudaMalloc(&Field, N * sizeof(int));
  cudaMemcpy(Field, Host.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  add<<<N / 256, 256>>>(Field, 1);
  cudaMemcpy(Host.data(), Field, N * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(Field);
  for (int Number = 1; Number <= 3; ++Number)
    Sum += round(Number);
  cudaMalloc(&Field, N * sizeof(int));
  cudaMemcpy(Field, Host.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  add<<<N / 256, 256>>>(Field, Sum);
  std::printf("%d\n", lastOf(Field, N));
  cudaFree(Field);
}
