// Programs for gmprof whatif that call the driver, by their first argument.
#include "../../end-to-end/driver.h"
#include <cstring>

constexpr int Steps = 4;
constexpr size_t Bytes = 4096;

/// Takes a while, so that there is something to wait for.
__global__ void add(int *Sum, int Value) {
  unsigned long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < 20'000'000);
  *Sum += Value;
}

DRIVER(cuMemAlloc, 3020);
DRIVER(cuMemAllocManaged, 6000);
DRIVER(cuMemFree, 3020);
DRIVER(cuMemcpyHtoD, 3020);
DRIVER(cuMemcpyDtoH, 3020);
DRIVER(cuMemsetD8, 3020);
DRIVER(cuMemsetD8Async, 3020);
DRIVER(cuLaunchKernel, 4000);
DRIVER(cuCtxSynchronize, 2000);

static CUdeviceptr Sum;

static void launch(int Value) {
  static cudaFunction_t Add = [] {
    cudaFunction_t Found;
    CHECK(cudaGetFuncBySymbol(&Found, reinterpret_cast<const void *>(add)));
    return Found;
  }();
  void *Args[] = {&Sum, &Value};
  CHECK_DRIVER(cuLaunchKernelOf(Add, 1, 1, 1, 1, 1, 1, 0, nullptr, Args, nullptr));
}

int main(int Argc, char **Argv) {
  const char *What = Argc > 1 ? Argv[1] : "";
  auto Is = [&](const char *Name) { return std::strcmp(What, Name) == 0; };
  CUdeviceptr Memory;
  int Value = 7, Result;
  CHECK(cudaFree(nullptr)); // makes the context
  CHECK_DRIVER(cuMemAllocOf(&Sum, sizeof(int)));
  CHECK_DRIVER(cuMemsetD8Of(Sum, 0, sizeof(int)));
  if (Is("sets"))
    CHECK_DRIVER(cuMemAllocManagedOf(&Memory, Bytes, CU_MEM_ATTACH_GLOBAL));
  if (Is("copies"))
    CHECK_DRIVER(cuMemAllocOf(&Memory, Bytes));
#pragma unroll 1
  for (int I = 0; I < Steps; ++I) {
    if (Is("frees"))
      CHECK_DRIVER(cuMemAllocOf(&Memory, Bytes));
    launch(I);
    if (Is("waits"))
      CHECK_DRIVER(cuCtxSynchronizeOf());
    if (Is("sets"))
      CHECK_DRIVER(cuMemsetD8Of(Memory, 0, Bytes));
    if (Is("copies"))
      CHECK_DRIVER(cuMemcpyHtoDOf(Memory, &Value, sizeof(int)));
    if (Is("frees"))
      CHECK_DRIVER(cuMemFreeOf(Memory));
  }
  CHECK_DRIVER(cuMemcpyDtoHOf(&Result, Sum, sizeof(int)));
  std::printf("%d\n", Result);
  return 0;
}
