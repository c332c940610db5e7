// Kernel nodes of graphs record their accesses, captured or built, and changed in the executable
// graph: the accesses of a node in all its replays together, whichever thread launches the graph.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: accesses("when") == [("In", 7, 0, "exact"), ("Other", 4, 4, "exact"),
//     ("Out", 3, 3, "exact")]
// EXPECT: accesses("chase") == [("Pointers", 3, 0, "exact"), ("Far", 3, 3, "exact")]
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: coverage["gaps"] == []
#include "driver.h"

__global__ void when(int *out, const int *in, int limit) {
  if (in[threadIdx.x] > limit)
    out[threadIdx.x] += 1;
}

DRIVER(cuGraphLaunch, 10000);

__global__ void chase(int **pointers) { pointers[1][threadIdx.x] += 2; }

int main() {
  int *In, *Out, *Other, *Far, **Pointers;
  int Numbers[32];
  for (int I = 0; I < 32; ++I)
    Numbers[I] = I;
  CHECK(cudaMalloc(&In, sizeof(Numbers)));
  CHECK(cudaMalloc(&Out, sizeof(Numbers)));
  CHECK(cudaMalloc(&Other, sizeof(Numbers)));
  CHECK(cudaMalloc(&Pointers, 2 * sizeof(int *)));
  CHECK(cudaMalloc(&Far, sizeof(Numbers)));
  for (int *Each : {In, Out, Other, Far})
    CHECK(cudaMemcpy(Each, Numbers, sizeof(Numbers), cudaMemcpyHostToDevice));
  int *const Both[] = {In, Far};
  CHECK(cudaMemcpy(Pointers, Both, sizeof(Both), cudaMemcpyHostToDevice));

  // Out is written in one node, and by the other not at all.
  cudaStream_t Stream;
  cudaGraph_t Captured, Built;
  cudaGraphExec_t Exec, BuiltExec;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  when<<<1, 32, 0, Stream>>>(Out, In, 10);
  chase<<<1, 32, 0, Stream>>>(Pointers);
  CHECK(cudaStreamEndCapture(Stream, &Captured));
  CHECK(cudaGraphInstantiate(&Exec, Captured, 0));
  for (int I = 0; I < 2; ++I)
    CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK_DRIVER(cuGraphLaunchOf(Exec, Stream));

  int Limit = 5;
  void *Args[] = {&Other, &In, &Limit};
  cudaKernelNodeParams Params = {};
  Params.func = reinterpret_cast<void *>(when);
  Params.gridDim = Params.blockDim = dim3(1);
  Params.blockDim.x = 32;
  Params.kernelParams = Args;
  cudaGraphNode_t Node;
  CHECK(cudaGraphCreate(&Built, 0));
  CHECK(cudaGraphAddKernelNode(&Node, Built, nullptr, 0, &Params));
  CHECK(cudaGraphInstantiate(&BuiltExec, Built, 0));
  CHECK(cudaGraphLaunch(BuiltExec, Stream));
  CHECK(cudaGraphLaunch(BuiltExec, Stream));
  Limit = 8;
  CHECK(cudaGraphExecKernelNodeSetParams(BuiltExec, Node, &Params));
  CHECK(cudaGraphLaunch(BuiltExec, Stream));
  CHECK(cudaGraphLaunch(BuiltExec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  printResult("out", Out, 32);
  printResult("other", Other, 32);
  printResult("far", Far, 32);
}
