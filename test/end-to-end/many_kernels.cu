// Launches wait for the clones of the first eight kernels, and nodes of graphs for theirs. Once
// that has taken its seconds, other kernels get them in the background, while hundreds run and
// modules come and go.
// DEVICE: cpu
// BUILD: -O2 -g
// OPTIONS: profile=heat:first-launch-seconds=0
// EXPECT: [[l.mode for l in kernel(f"k{i}").launches] for i in range(8)] == [["heat"] * 2] * 8
// EXPECT: [l.mode for l in kernel("doubleAll").launches] == ["heat"] * 3
// EXPECT: coverage["launches"]["seen"] == 8 * 2 + 292 * 2 + 1000 + 4 + 3
// EXPECT: {g["mode"] for k in summary["kernels"] for g in k["launches"]} == {"heat", "plain"}
// EXPECT: {k["reason"] for k in coverage["kernels"]["not_instrumented"]} ==
//     {"its clones were still being made (a greater --first-launch-seconds has launches wait)"}
// EXPECT-OUTPUT: 1600
// EXPECT-OUTPUT: 256
// EXPECT-OUTPUT: 8
#include "scatter_modules.h"

__global__ void doubleAll(int *To) { To[threadIdx.x] *= 2; }

/// Returns a kernel that adds 1 to the 32 words at To.
static std::string adder(const std::string &Name) {
  return ".visible .entry " + Name + R"((.param .u64 To)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [To];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";
}

int main() {
  DRIVER(cuModuleLoadData, 2000);
  DRIVER(cuModuleGetFunction, 2000);
  DRIVER(cuLaunchKernel, 4000);
  constexpr int Kernels = 300, Words = 32;
  std::string Code = ".version 7.0\n.target sm_70\n.address_size 64\n" + adder("often");
  for (int I = 0; I < Kernels; ++I)
    Code += adder("k" + std::to_string(I));
  int *To = nullptr, Result = 0;
  CHECK(cudaMalloc(&To, Words * sizeof(int)));
  CHECK(cudaMemset(To, 0, Words * sizeof(int)));
  CUmodule Module = nullptr;
  CHECK_DRIVER(cuModuleLoadDataOf(&Module, Code.c_str()));
  const auto Launch = [&](const std::string &Name, int Times) {
    CUfunction Function = nullptr;
    void *Args[] = {&To};
    CHECK_DRIVER(cuModuleGetFunctionOf(&Function, Module, Name.c_str()));
    for (int I = 0; I < Times; ++I)
      CHECK_DRIVER(cuLaunchKernelOf(Function, 1, 1, 1, Words, 1, 1, 0, nullptr, Args, nullptr));
  };
  for (int I = 0; I < Kernels; ++I)
    Launch("k" + std::to_string(I), 2);
  Launch("often", 1000);
  CHECK(cudaMemcpy(&Result, To, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d\n", Result);
  scatterWith({5, 5, 5, 5});

  constexpr int One = 1;
  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  CHECK(cudaMemcpy(To, &One, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  doubleAll<<<1, Words, 0, Stream>>>(To);
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 3; ++I)
    CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaMemcpy(&Result, To, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d\n", Result);
  CHECK(cudaFree(To));
}
