// Two arrays are used one after the other, and a third is not used, but all are in memory from the
// beginning to the end. gmprof run --profile objects finds this.
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
  int *First, *Second, *Spare;
  cudaMalloc(&First, N * sizeof(int));
  cudaMalloc(&Second, N * sizeof(int));
  cudaMalloc(&Spare, 2 * N * sizeof(int));
  std::printf("%d\n", lastAfterAdding(First, 0));
  std::printf("%d\n", lastAfterAdding(Second, 1));
  cudaFree(First);
  cudaFree(Second);
  cudaFree(Spare);
}
