// Driver functions for memory, copies and launches are recorded like the runtime's: objects,
// accesses and times.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(o["kind"], o["bytes"], o["alloc"]["api"]) for o in summary["objects"]] == [
//     ("device", 4096, "cuMemAlloc"), ("device", 4096, "cuMemAlloc"),
//     ("pinned", 4096, "cuMemHostAlloc"), ("managed", 64, "cuMemAllocManaged"),
//     ("async-pool", 512, "cuMemAllocAsync"), ("device", 100, "cuMemAlloc")]
// EXPECT: [o["free"]["api"] for o in summary["objects"][:5]] == ["cuMemFree", "cuMemFree",
//     "cuMemFreeHost", "cuMemFree", "cuMemFreeAsync"]
// EXPECT: [o["released"] for o in summary["objects"]] == [True] * 5 + [False]
// EXPECT: [(use["object"], use["reads"], use["writes"], use["known"])
//     for use in kernel("scale").data["object_accesses"]]
//     == [(0, 3, 0, "exact"), (1, 0, 3, "exact")]
// EXPECT: len(kernel("scale").launches) == 3
// EXPECT: [(o["first_access"]["api"], o["last_access"]["api"]) for o in summary["objects"][:2]]
//     == [("cuMemcpyHtoD", "scale"), ("cuMemsetD32", "cuMemcpyDtoH")]
// EXPECT: [f["object"]["id"] for f in summary["findings"] if f["pattern"] == "unused_allocation"]
//     == [4, 5]
// An allocation that is neither used nor freed is one finding.
// EXPECT: "memory_leak" not in [f["pattern"] for f in summary["findings"]]
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: scaled: 3069
#include "driver.h"

__global__ void scale(const int *In, int *Out) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = 3 * In[I];
}

DRIVER(cuMemAlloc, 3020);
DRIVER(cuMemHostAlloc, 2020);
DRIVER(cuMemAllocManaged, 6000);
DRIVER(cuMemAllocAsync, 11020);
DRIVER(cuMemFree, 3020);
DRIVER(cuMemFreeHost, 2000);
DRIVER(cuMemFreeAsync, 11020);
DRIVER(cuMemcpyHtoD, 3020);
DRIVER(cuMemcpyDtoH, 3020);
DRIVER(cuMemsetD32, 3020);
DRIVER(cuLaunchKernel, 4000);
DRIVER(cuLaunchKernelEx, 11060);
DRIVER(cuCtxSynchronize, 2000);

constexpr size_t Count = 1024, Bytes = Count * sizeof(int);

int main() {
  cudaFunction_t Scale;
  CHECK(cudaGetFuncBySymbol(&Scale, reinterpret_cast<const void *>(scale)));
  CUdeviceptr In, Out, Managed, Async, Lost;
  void *Host;
  CHECK_DRIVER(cuMemAllocOf(&In, Bytes));
  CHECK_DRIVER(cuMemAllocOf(&Out, Bytes));
  CHECK_DRIVER(cuMemHostAllocOf(&Host, Bytes, 0));
  CHECK_DRIVER(cuMemAllocManagedOf(&Managed, 64, CU_MEM_ATTACH_GLOBAL));
  CHECK_DRIVER(cuMemAllocAsyncOf(&Async, 512, nullptr));
  CHECK_DRIVER(cuMemAllocOf(&Lost, 100));
  int *Numbers = static_cast<int *>(Host);
  for (size_t I = 0; I < Count; ++I)
    Numbers[I] = static_cast<int>(I);
  CHECK_DRIVER(cuMemcpyHtoDOf(In, Numbers, Bytes));
  CHECK_DRIVER(cuMemsetD32Of(Out, 7, Count));
  void *Args[] = {&In, &Out};
  CHECK_DRIVER(cuLaunchKernelOf(Scale, 4, 1, 1, 256, 1, 1, 0, nullptr, Args, nullptr));
  // The arguments in one piece.
  CUdeviceptr Packed[] = {In, Out};
  size_t PackedBytes = sizeof(Packed);
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, Packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &PackedBytes, CU_LAUNCH_PARAM_END};
  CHECK_DRIVER(cuLaunchKernelOf(Scale, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, Extra));
  CUlaunchConfig Config = {};
  Config.gridDimX = 4;
  Config.gridDimY = Config.gridDimZ = Config.blockDimY = Config.blockDimZ = 1;
  Config.blockDimX = 256;
  CHECK_DRIVER(cuLaunchKernelExOf(&Config, Scale, Args, nullptr));
  CHECK_DRIVER(cuCtxSynchronizeOf());
  CHECK_DRIVER(cuMemcpyDtoHOf(Numbers, Out, Bytes));
  std::printf("scaled: %d\n", Numbers[Count - 1]);
  CHECK_DRIVER(cuMemFreeOf(In));
  CHECK_DRIVER(cuMemFreeOf(Out));
  CHECK_DRIVER(cuMemFreeHostOf(Host));
  CHECK_DRIVER(cuMemFreeOf(Managed));
  CHECK_DRIVER(cuMemFreeAsyncOf(Async, nullptr));
  CHECK_DRIVER(cuCtxSynchronizeOf());
}
