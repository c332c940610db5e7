// Elements that one thread alone loads, however often, are no candidates for shared memory.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: [(f["kind"], f["object"]["name"]) for f in summary["findings"]
//     if f["pattern"] == "shared_memory_candidate"] == [("move_in", "In")]
// EXPECT: [f["kernel"]["name"].split("(")[0] for f in summary["findings"]
//     if f["pattern"] == "shared_memory_candidate"] == ["blur"]
// EXPECT: memory("relax", "In").reads == [50] * 1024
// EXPECT: memory("norms", "In").reads == [3] * 1024
#include "common.h"

__global__ void relax(const int *In, int *Out) {
  const int I = blockIdx.x * 128 + threadIdx.x;
  for (int K = 0; K < 50; ++K)
    Out[I] = Out[I] / 2 + In[I];
}

__global__ void norms(const int *In, int *Out, int N) {
  const int Row = threadIdx.x;
  int Sum = 0, Squares = 0;
  for (int K = 0; K < N; ++K)
    Sum += In[Row * N + K];
  Out[Row] = Sum;
  for (int K = 0; K < N; ++K)
    Squares += (In[Row * N + K] - Out[Row]) * In[Row * N + K];
  for (int K = 0; K < N; ++K)
    Out[Row * N + K] = Squares - In[Row * N + K];
}

__global__ void blur(const int *In, int *Out) {
  const int I = blockIdx.x * 128 + threadIdx.x;
  int Sum = 0;
  for (int K = -4; K <= 4; ++K)
    Sum += In[I + 4 + K];
  Out[I] = Sum;
}

int main() {
  int *In = deviceInts(1024), *Out = deviceInts(1024);
  relax<<<8, 128>>>(In, Out);
  norms<<<1, 32>>>(In, Out, 32);
  blur<<<7, 128>>>(In, Out);
  printResult("own elements", Out, 1024);
}
