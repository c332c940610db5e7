// All ways to launch a kernel that GMProf's compiler has not compiled: its name, its launches and
// the targets of its parameters.
// DEVICE: gpu
// BUILD-NVCC: -O2
// BUILD-NVCC: -O2 -cudart=shared
// BUILD-NVCC: -O2 -rdc=true -default-stream=per-thread
// OPTIONS: profile=objects:clones=compiled
// EXPECT: {k["demangled"].split("(")[0].split()[-1]: [(summary["objects"][use["object"]]["bytes"],
//     use["reads"], use["writes"], use["known"]) for use in k["object_accesses"]]
//     for k in summary["kernels"]} == {
//     "plain": [(256, 2, 2, "inferred"), (384, 2, 2, "inferred")],
//     "extended": [(256, 2, 2, "inferred"), (512, 2, 2, "inferred")],
//     "together": [(384, 1, 1, "inferred")], "space::captured<int>": [(512, 3, 3, "inferred")],
//     "built": [(256, 1, 1, "inferred"), (384, 1, 1, "inferred")]}
// EXPECT: coverage["objects"]
//     == {"launches_inferred": 12, "objects_uncertain": 0, "objects_of_host": 0}
// EXPECT: coverage["gaps"] == []
#include "common.h"
#include <cooperative_groups.h>

__global__ void plain(int *Out) { Out[threadIdx.x] += 1; }
__global__ void extended(int *Out, const int *In) { Out[threadIdx.x] += In[threadIdx.x]; }
__global__ void together(int *Out) {
  Out[threadIdx.x] += 1;
  cooperative_groups::this_grid().sync();
  Out[threadIdx.x] *= 2;
}
template <typename T> struct View {
  T *Data;
  int Count;
};
namespace space {
template <typename T> __global__ void captured(View<T> V) { V.Data[threadIdx.x] += V.Count; }
} // namespace space
__global__ void built(int *Out, int Value) { Out[threadIdx.x] += Value; }

int main() {
  int *One = deviceInts(64), *Two = deviceInts(96), *Three = deviceInts(128);
  cudaStream_t Streams[2];
  for (cudaStream_t &S : Streams)
    CHECK(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());

  for (int I = 0; I < 4; ++I)
    plain<<<1, 64, 0, Streams[I % 2]>>>(I % 2 ? Two : One);

  cudaLaunchConfig_t Config = {};
  Config.gridDim = dim3(1);
  Config.blockDim = dim3(64);
  Config.stream = Streams[0];
  CHECK(cudaLaunchKernelEx(&Config, extended, One, static_cast<const int *>(Three)));
  void *ExtendedArgs[] = {&One, &Three};
  CHECK(cudaLaunchKernelExC(&Config, reinterpret_cast<const void *>(extended), ExtendedArgs));

  void *TogetherArgs[] = {&Two};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(together), dim3(1), dim3(96),
                                    TogetherArgs, 0, Streams[1]));

  cudaGraph_t Captured, Built;
  cudaGraphExec_t CapturedExec, BuiltExec;
  CHECK(cudaStreamBeginCapture(Streams[0], cudaStreamCaptureModeThreadLocal));
  space::captured<<<1, 128, 0, Streams[0]>>>(View<int>{Three, 3});
  CHECK(cudaStreamEndCapture(Streams[0], &Captured));
  CHECK(cudaGraphInstantiate(&CapturedExec, Captured, 0));
  for (int I = 0; I < 3; ++I)
    CHECK(cudaGraphLaunch(CapturedExec, Streams[0]));

  int Value = 5;
  void *BuiltArgs[] = {&One, &Value};
  cudaKernelNodeParams Params = {};
  Params.func = reinterpret_cast<void *>(built);
  Params.gridDim = dim3(1);
  Params.blockDim = dim3(64);
  Params.kernelParams = BuiltArgs;
  cudaGraphNode_t Node;
  CHECK(cudaGraphCreate(&Built, 0));
  CHECK(cudaGraphAddKernelNode(&Node, Built, nullptr, 0, &Params));
  CHECK(cudaGraphInstantiate(&BuiltExec, Built, 0));
  CHECK(cudaGraphLaunch(BuiltExec, Streams[0]));
  BuiltArgs[0] = &Two;
  CHECK(cudaGraphExecKernelNodeSetParams(BuiltExec, Node, &Params));
  CHECK(cudaGraphLaunch(BuiltExec, Streams[1]));
  for (cudaStream_t S : Streams)
    CHECK(cudaStreamSynchronize(S));
  printResult("one", One, 64);
  printResult("two", Two, 96);
  printResult("three", Three, 128);
  for (int *Each : {One, Two, Three})
    CHECK(cudaFree(Each));
}
