// Device memory that a loop allocates and frees. A buffer that grows, memory of a stream-ordered
// pool and a function that is called twice are innocent.
// BUILD: -O2 -g
// OPTIONS: profile=overview
// EXPECT: [(f["kind"], f["source"]["line"], f["message"]) for f in summary["findings"]
//     if f["pattern"] == "repeated_allocation"] == [("device", 23,
//     "18 of 20 cudaMalloc calls allocate `In` and `Out` again after cudaFree has freed as "
//     "much (up to 4 KiB each).")]
// EXPECT-OUTPUT: 5120 5120 5120 5120
#include "common.h"

constexpr int N = 512, Steps = 10;

__global__ void add(const int *In, int *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = In[I] + 1;
}

long perStep() {
  long Sum = 0;
  int Host[N] = {}, *In, *Out;
  for (int Step = 0; Step < Steps; ++Step) {
    cudaMalloc(&In, 2 * sizeof(Host)), cudaMalloc(&Out, sizeof(Host));
    CHECK(cudaMemcpy(In, Host, sizeof(Host), cudaMemcpyHostToDevice));
    add<<<1, N>>>(In, Out);
    CHECK(cudaMemcpy(Host, Out, sizeof(Host), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(In));
    CHECK(cudaFree(Out));
  }
  for (int Value : Host)
    Sum += Value;
  return Sum;
}

long growing() {
  int *Buffer = nullptr;
  long Sum = 0;
  for (int Step = 1; Step <= Steps; ++Step) {
    CHECK(cudaFree(Buffer));
    CHECK(cudaMalloc(&Buffer, Step * N * sizeof(int)));
    CHECK(cudaMemset(Buffer, 0, Step * N * sizeof(int)));
    int First = 0;
    CHECK(cudaMemcpy(&First, Buffer, sizeof(int), cudaMemcpyDeviceToHost));
    Sum += First + N;
  }
  CHECK(cudaFree(Buffer));
  return Sum;
}

long fromPool(cudaStream_t Stream) {
  long Sum = 0;
  for (int Step = 0; Step < Steps; ++Step) {
    int *Buffer, First = 0;
    CHECK(cudaMallocAsync(&Buffer, N * sizeof(int), Stream));
    CHECK(cudaMemsetAsync(Buffer, 0, N * sizeof(int), Stream));
    CHECK(cudaMemcpyAsync(&First, Buffer, sizeof(int), cudaMemcpyDeviceToHost, Stream));
    CHECK(cudaFreeAsync(Buffer, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    Sum += First + N;
  }
  return Sum;
}

long once() {
  int *Buffer, First = 0;
  CHECK(cudaMalloc(&Buffer, N * sizeof(int)));
  CHECK(cudaMemset(Buffer, 0, N * sizeof(int)));
  CHECK(cudaMemcpy(&First, Buffer, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Buffer));
  return First + N * Steps / 2;
}

int main() {
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  std::printf("%ld", perStep());
  std::printf(" %ld", growing());
  std::printf(" %ld", fromPool(Stream));
  const long First = once();
  std::printf(" %ld\n", First + once());
  CHECK(cudaStreamDestroy(Stream));
}
