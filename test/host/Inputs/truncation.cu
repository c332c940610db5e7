// Produces all kinds of records of a log. With an argument: killed after a kernel that was not
// waited for.
#include <csignal>
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int Offset;

__global__ void pick(const int *From, int *To, int Wanted) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = From[threadIdx.x] & 63;
  __syncthreads();
  if (Tile[threadIdx.x] == Wanted)
    To[Tile[63 - threadIdx.x]] = Offset;
}

int main(int Argc, char **) {
  int Host[64];
  for (int I = 0; I < 64; ++I)
    Host[I] = I;
  const int Seven = 7;
  int *A = nullptr, *B = nullptr, *C = nullptr;
  cudaStream_t Stream;
  cudaEvent_t Event;
  cudaStreamCreate(&Stream);
  cudaEventCreate(&Event);
  cudaMalloc(&A, sizeof(Host));
  cudaMalloc(&B, sizeof(Host));
  cudaMallocManaged(&C, sizeof(Host));
  cudaMemcpyToSymbol(Offset, &Seven, sizeof(Seven));
  cudaMemcpy(A, Host, sizeof(Host), cudaMemcpyHostToDevice);
  cudaMemsetAsync(B, 0, sizeof(Host), Stream);
  if (Argc > 1) {
    pick<<<1, 64, 0, Stream>>>(A, B, 5);
    std::raise(SIGKILL);
  }
  for (int I = 0; I < 3; ++I)
    pick<<<1, 64, 0, Stream>>>(A, I == 1 ? C : B, 60 + 2 * I);
  cudaEventRecord(Event, Stream);
  cudaEventSynchronize(Event);
  cudaMemcpy(Host, B, sizeof(Host), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", Host[3], C[1]);
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(B, A, sizeof(Host), cudaMemcpyDeviceToDevice, Stream);
  pick<<<1, 64, 0, Stream>>>(A, B, 1);
  cudaStreamEndCapture(Stream, &Graph);
  cudaGraphInstantiate(&Exec, Graph, 0);
  cudaGraphLaunch(Exec, Stream);
  cudaStreamSynchronize(Stream);
  cudaFree(A);
  cudaFree(C);
}
