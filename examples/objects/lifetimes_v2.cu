// lifetimes_v1.cu with the fixes of its findings: each array is allocated while it is used, and the
// third is removed.
#include <cstdio>

constexpr int N = 16384;

__global__ void addOne(int *Values) { Values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

static int lastAfterAdding(int *Values, int Start) {
  int Last;
  cudaMemset(Values, Start, N * sizeof(int));
  addOne<<<N / 256, 256>>>(Values);
  cudaMemcpy(&Last, Values + N - 1, sizeof(int), cudaMemcpyDeviceToHost);
  return Last;
}

int main() {
  int *First, *Second;
  cudaMalloc(&First, N * sizeof(int));
  std::printf("%d\n", lastAfterAdding(First, 0));
  cudaFree(First);
  cudaMalloc(&Second, N * sizeof(int));
  std::printf("%d\n", lastAfterAdding(Second, 1));
  cudaFree(Second);
}
