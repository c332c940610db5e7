// Three loads of a module whose kernels have different attributes: clones serve only kernels with
// the attributes that they have, also if the program sets them after the first launch.
// BUILD: -O2 -g
// OPTIONS: profile=heat:launch-sampling=every:heat-blocks=all
// EXPECT: sorted(l.mode for l in kernel("scatter").launches) == ["heat"] * 7
// EXPECT: kernel("scatter").data["heat"]["requests"] == 7 * 8
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("requests", 56)]
// EXPECT-OUTPUT: 1 2 1 2 1 2 1
#include "scatter_modules.h"

constexpr int Count = 64;
static int *In, *Out;

static CUfunction load() {
  DRIVER(cuModuleLoadData, 2000);
  DRIVER(cuModuleGetFunction, 2000);
  CUmodule Module = nullptr;
  CUfunction Kernel = nullptr;
  std::string Code = scatterModule("mov.u32 %r3, %cluster_nctaid.x;");
  Code.replace(Code.find("7.0"), 3, "7.8");
  Code.replace(Code.find("sm_70"), 5, "sm_90");
  CHECK_DRIVER(cuModuleLoadDataOf(&Module, Code.c_str()));
  CHECK_DRIVER(cuModuleGetFunctionOf(&Kernel, Module, "scatter"));
  return Kernel;
}

/// Gives the kernel clusters of two blocks.
static void setCluster(CUfunction Kernel) {
  DRIVER(cuFuncSetAttribute, 9000);
  CHECK_DRIVER(cuFuncSetAttributeOf(Kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
  CHECK_DRIVER(cuFuncSetAttributeOf(Kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
  CHECK_DRIVER(cuFuncSetAttributeOf(Kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
}

/// Launches two blocks. Returns how many a cluster has; -1 if the results differ.
static int launch(CUfunction Kernel) {
  DRIVER(cuLaunchKernel, 4000);
  void *Args[] = {&In, &Out};
  CHECK_DRIVER(cuLaunchKernelOf(Kernel, 2, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
  int Result[Count];
  CHECK(cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost));
  for (int I = 0; I < Count; ++I)
    if (Result[I * 9 % Count] != I + Result[0])
      return -1;
  return Result[0];
}

int main() {
  int Index[Count];
  for (int I = 0; I < Count; ++I)
    Index[I] = I * 9 % Count;
  CHECK(cudaMalloc(&In, sizeof(Index)));
  CHECK(cudaMalloc(&Out, sizeof(Index)));
  CHECK(cudaMemcpy(In, Index, sizeof(Index), cudaMemcpyHostToDevice));
  const CUfunction A = load(), B = load(), C = load();
  setCluster(B);
  for (const CUfunction Each : {A, B, A, B, C})
    std::printf("%d ", launch(Each));
  setCluster(C);
  std::printf("%d ", launch(C));
  std::printf("%d\n", launch(A));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
