// A library that compiles or loads a module for each use.
#ifndef GMPROF_TEST_SCATTER_MODULES_H
#define GMPROF_TEST_SCATTER_MODULES_H

#include "driver.h"
#include <string>
#include <vector>

/// Returns a module with Out[Index[i]] = i + the value of Addend, in one block of 64 threads.
/// Addend: the instructions that load it to %r3. Variables: of the module.
inline std::string scatterModule(const std::string &Addend, const std::string &Variables = "") {
  return R"(
.version 7.0
.target sm_70
.address_size 64
)" + Variables +
         R"(
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
)" + Addend +
         R"(
  add.u32 %r3, %r1, %r3;
  st.global.u32 [%rd5], %r3;
  ret;
}
)";
}

/// Loads a module for each shape, launches its kernel once, and unloads it. Prints how many results
/// are right.
inline void scatterWith(const std::vector<int> &Shapes) {
  DRIVER(cuModuleLoadData, 2000);
  DRIVER(cuModuleGetFunction, 2000);
  DRIVER(cuLaunchKernel, 4000);
  DRIVER(cuModuleUnload, 2000);
  constexpr int Count = 64;
  std::vector<int> Index(Count), Result(Count);
  for (int I = 0; I < Count; ++I)
    Index[I] = I * 9 % Count;
  int *In = nullptr, *Out = nullptr, Correct = 0;
  CHECK(cudaMalloc(&In, Count * sizeof(int)));
  CHECK(cudaMalloc(&Out, Count * sizeof(int)));
  CHECK(cudaMemcpy(In, Index.data(), Count * sizeof(int), cudaMemcpyHostToDevice));
  void *Args[] = {&In, &Out};
  for (const int Shape : Shapes) {
    CUmodule Module = nullptr;
    CUfunction Scatter = nullptr;
    CHECK_DRIVER(cuModuleLoadDataOf(
        &Module, scatterModule("mov.u32 %r3, " + std::to_string(Shape) + ";").c_str()));
    CHECK_DRIVER(cuModuleGetFunctionOf(&Scatter, Module, "scatter"));
    CHECK_DRIVER(cuLaunchKernelOf(Scatter, 1, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
    CHECK(cudaMemcpy(Result.data(), Out, Count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int I = 0; I < Count; ++I)
      Correct += Result[Index[I]] == I + Shape;
    CHECK_DRIVER(cuModuleUnloadOf(Module));
  }
  std::printf("%d\n", Correct);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}

#endif
