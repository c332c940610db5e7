// products_v1.cu as its findings suggest: D is copied when it is needed, and D and E have the
// memory of A and B.
#include <cstdio>
#include <vector>

constexpr int N = 64;
constexpr size_t Bytes = N * N * sizeof(int);

__global__ void multiply(const int *Left, const int *Right, int *Product) {
  int Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += Left[blockIdx.x * N + K] * Right[K * N + threadIdx.x];
  Product[blockIdx.x * N + threadIdx.x] = Sum;
}

int main() {
  std::vector<int> HostA(N * N, 1), HostB(N * N, 2), HostD(N * N, 3), Result(N * N);
  int *A, *B, *C;
  cudaMalloc(&A, Bytes);
  cudaMemcpy(A, HostA.data(), Bytes, cudaMemcpyHostToDevice);
  cudaMalloc(&B, Bytes);
  cudaMemcpy(B, HostB.data(), Bytes, cudaMemcpyHostToDevice);
  cudaMalloc(&C, Bytes);
  multiply<<<N, N>>>(A, B, C);
  int *D = A, *E = B;
  cudaMemcpy(D, HostD.data(), Bytes, cudaMemcpyHostToDevice);
  multiply<<<N, N>>>(C, D, E);
  cudaFree(C);
  cudaFree(A);
  cudaMemcpy(Result.data(), E, Bytes, cudaMemcpyDeviceToHost);
  cudaFree(B);
  std::printf("%d\n", Result[N + 1]);
}
