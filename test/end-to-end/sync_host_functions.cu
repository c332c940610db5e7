// Waits for host functions are needed, whatever these do: no use of memory shows their effects.
// Waits for kernels alone are not needed, also in a stream that ran such a function before.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT-CPU: {s["source"]["line"]: (s["waits"], s["unnecessary"], s["assumed_needed"])
//     for s in summary["sync"]["sites"] if s["api"].endswith("Synchronize")}
//     == {31: (3, 0, 3), 38: (1, 0, 1), 42: (1, 1, 0), 46: (1, 1, 0), 56: (2, 0, 2),
//     65: (1, 1, 0)}
// EXPECT: not [f for f in summary["findings"] if f["pattern"] == "misplaced_synchronization"]
// EXPECT-OUTPUT: 6 calls
#include "common.h"

__global__ void work(int *Out) { Out[threadIdx.x] = threadIdx.x; }

static int Calls;
static void CUDART_CB count(void *) { ++Calls; }
static void CUDART_CB countCallback(cudaStream_t, cudaError_t, void *) { ++Calls; }

int main() {
  int *Out = deviceInts(32), Sum = 0;
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamCreate(&Stream));

  // A function of the host in each step.
#pragma unroll 1
  for (int I = 0; I < 3; ++I) {
    work<<<1, 32, 0, Stream>>>(Out);
    CHECK(cudaLaunchHostFunc(Stream, count, nullptr));
    CHECK(cudaStreamSynchronize(Stream));
    Sum += Calls;
  }

  // The same by a callback, and a wait for the device.
  work<<<1, 32, 0, Stream>>>(Out);
  CHECK(cudaStreamAddCallback(Stream, countCallback, nullptr, 0));
  CHECK(cudaDeviceSynchronize());
  Sum += Calls;

  // A second wait for the same work is not needed.
  CHECK(cudaStreamSynchronize(Stream));

  // A kernel in the same stream.
  work<<<1, 32, 0, Stream>>>(Out);
  CHECK(cudaStreamSynchronize(Stream));

  // A graph with a function of the host.
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaLaunchHostFunc(Stream, count, nullptr));
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
#pragma unroll 1
  for (int I = 0; I < 2; ++I) {
    CHECK(cudaGraphLaunch(Exec, Stream));
    CHECK(cudaStreamSynchronize(Stream));
  }

  // A graph of a kernel.
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  work<<<1, 32, 0, Stream>>>(Out);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));

  std::printf("%d calls\n", Sum == 10 ? Calls : 0);
}
