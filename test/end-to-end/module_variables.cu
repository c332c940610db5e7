// Modules with a variable, of which several are loaded at the same time, and again after others
// were unloaded: each one's kernel reads its own, whichever clones serve them.
// BUILD: -O2 -g
// OPTIONS: profile=heat:launch-sampling=every
// EXPECT: sorted(l.mode for l in kernel("scatter").launches) == ["heat"] * 10
// EXPECT: kernel("scatter").data["heat"]["requests"] == 10 * 6
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("requests", 60)]
// EXPECT-OUTPUT: 640
#include "scatter_modules.h"

constexpr int Count = 64;
static int *In, *Out;

/// A loaded module whose variable has a value.
struct Scatter {
  CUmodule Module = nullptr;
  CUfunction Kernel = nullptr;
  int Addend;

  explicit Scatter(int Addend) : Addend(Addend) {
    DRIVER(cuModuleLoadData, 2000);
    DRIVER(cuModuleGetFunction, 2000);
    DRIVER(cuModuleGetGlobal, 3020);
    DRIVER(cuMemcpyHtoD, 3020);
    CHECK_DRIVER(cuModuleLoadDataOf(
        &Module,
        scatterModule("ld.global.u32 %r3, [Addend];", ".visible .global .u32 Addend;").c_str()));
    CHECK_DRIVER(cuModuleGetFunctionOf(&Kernel, Module, "scatter"));
    CUdeviceptr Variable = 0;
    size_t Bytes = 0;
    CHECK_DRIVER(cuModuleGetGlobalOf(&Variable, &Bytes, Module, "Addend"));
    CHECK_DRIVER(cuMemcpyHtoDOf(Variable, &Addend, sizeof(int)));
  }
  /// Returns how many results are right.
  int launch() const {
    DRIVER(cuLaunchKernel, 4000);
    void *Args[] = {&In, &Out};
    CHECK_DRIVER(cuLaunchKernelOf(Kernel, 1, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
    int Result[Count], Correct = 0;
    CHECK(cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost));
    for (int I = 0; I < Count; ++I)
      Correct += Result[I * 9 % Count] == I + Addend;
    return Correct;
  }
  void unload() {
    DRIVER(cuModuleUnload, 2000);
    CHECK_DRIVER(cuModuleUnloadOf(Module));
  }
};

int main() {
  int Index[Count], Correct = 0;
  for (int I = 0; I < Count; ++I)
    Index[I] = I * 9 % Count;
  CHECK(cudaMalloc(&In, sizeof(Index)));
  CHECK(cudaMalloc(&Out, sizeof(Index)));
  CHECK(cudaMemcpy(In, Index, sizeof(Index), cudaMemcpyHostToDevice));
  Scatter A(100), B(200);
  for (int I = 0; I < 2; ++I)
    Correct += A.launch() + B.launch();
  A.unload();
  Scatter C(300), D(400);
  for (int I = 0; I < 2; ++I)
    Correct += B.launch() + C.launch() + D.launch();
  B.unload();
  C.unload();
  D.unload();
  std::printf("%d\n", Correct);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
