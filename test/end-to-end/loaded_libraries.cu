// Kernels of libraries that the program loads as PTX get clones, and a library that takes
// the place of an unloaded one has kernels of its own. On a GPU, cudaGetFuncBySymbol does
// not know the handles that this program launches.
// BUILD: -O2 -g
// OPTIONS: profile=heat:launch-sampling=every
// EXPECT: [l.mode for l in kernel("scatter").launches] == ["heat"] * 4
// EXPECT: kernel("scatter").data["heat"]["requests"] == 4 * 4
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]] == [("requests", 16)]
// EXPECT-OUTPUT: 256
#include "scatter_modules.h"

int main() {
  constexpr int Count = 64;
  int Index[Count], Result[Count], Correct = 0;
  int *In = nullptr, *Out = nullptr;
  for (int I = 0; I < Count; ++I)
    Index[I] = I * 9 % Count;
  CHECK(cudaMalloc(&In, sizeof(Index)));
  CHECK(cudaMalloc(&Out, sizeof(Index)));
  CHECK(cudaMemcpy(In, Index, sizeof(Index), cudaMemcpyHostToDevice));
  void *Args[] = {&In, &Out};
  for (const int Addend : {1, 2, 1, 2}) {
    cudaLibrary_t Library = nullptr;
    cudaKernel_t Kernel = nullptr;
    const std::string Code = scatterModule("mov.u32 %r3, " + std::to_string(Addend) + ";");
    CHECK(cudaLibraryLoadData(&Library, Code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&Kernel, Library, "scatter"));
    CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(Kernel), 1, Count, Args, 0, nullptr));
    CHECK(cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost));
    for (int I = 0; I < Count; ++I)
      Correct += Result[Index[I]] == I + Addend;
    CHECK(cudaLibraryUnload(Library));
  }
  std::printf("%d\n", Correct);
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
