// A library that loads the same module for each use, as cuDNN does: the samples are of all launches
// of its code, which are launches 1, 2, 4 and 8 of eight loads.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted(l.mode for l in kernel("scatter").launches) == ["heat"] * 4 + ["plain"] * 4
// EXPECT: kernel("scatter").data["heat"]["requests"] == 4 * 4
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT-OUTPUT: 64
#include "driver.h"
#include <vector>

// Out[Index[i]] = i, in one block of 64 threads.
static const char Ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry scatter(.param .u64 Index, .param .u64 Out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [Index];
  ld.param.u64 %rd2, [Out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd5, %rd2, %rd3;
  st.global.u32 [%rd5], %r1;
  ret;
}
)";

constexpr int Count = 64;

int main() {
  std::vector<int> Index(Count), Result(Count);
  for (int I = 0; I < Count; ++I)
    Index[I] = I * 9 % Count;
  int *In = nullptr, *Out = nullptr;
  CHECK(cudaMalloc(&In, Count * sizeof(int)));
  CHECK(cudaMalloc(&Out, Count * sizeof(int)));
  CHECK(cudaMemcpy(In, Index.data(), Count * sizeof(int), cudaMemcpyHostToDevice));
  void *Args[] = {&In, &Out};
  DRIVER(cuModuleLoadData, 2000);
  DRIVER(cuModuleGetFunction, 2000);
  DRIVER(cuLaunchKernel, 4000);
  DRIVER(cuModuleUnload, 2000);
  for (int Load = 0; Load < 8; ++Load) {
    CUmodule Module = nullptr;
    CUfunction Scatter = nullptr;
    CHECK_DRIVER(cuModuleLoadDataOf(&Module, Ptx));
    CHECK_DRIVER(cuModuleGetFunctionOf(&Scatter, Module, "scatter"));
    CHECK_DRIVER(cuLaunchKernelOf(Scatter, 1, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK_DRIVER(cuModuleUnloadOf(Module));
  }
  CHECK(cudaMemcpy(Result.data(), Out, Count * sizeof(int), cudaMemcpyDeviceToHost));
  int Correct = 0;
  for (int I = 0; I < Count; ++I)
    Correct += Result[Index[I]] == I;
  std::printf("%d\n", Correct);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
