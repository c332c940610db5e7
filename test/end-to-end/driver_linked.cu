// A program that is linked with libcuda and loads its kernel as PTX text at run time, which gets a
// clone.
// DEVICE: gpu
// BUILD: -O2 -g -L%cuda/lib64/stubs -lcuda
// OPTIONS: profile=objects
// EXPECT: [(o["kind"], o["bytes"], o["alloc"]["api"], o["free"]["api"])
//     for o in summary["objects"]] == [("device", 4096, "cuMemAlloc", "cuMemFree"),
//     ("device", 4096, "cuMemAlloc", "cuMemFree"), ("device", 64, "cuMemAlloc", "cuMemFree")]
// EXPECT: [(use["object"], use["reads"], use["writes"], use["known"])
//     for use in kernel("twice").data["object_accesses"]]
//     == [(0, 2, 0, "exact"), (1, 0, 2, "exact")]
// EXPECT: [f["object"]["id"] for f in summary["findings"] if f["pattern"] == "unused_allocation"]
//     == [2]
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT: (coverage["objects"]["launches_inferred"], coverage["objects"]["objects_uncertain"])
//     == (0, 0)
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 2046
#include "driver.h"
#include <vector>

static const char Ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 In, .param .u64 Out)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [In];
  ld.param.u64 %rd2, [Out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  shl.b32 %r3, %r2, 1;
  st.global.u32 [%rd5], %r3;
  ret;
}
)";

constexpr size_t Count = 1024, Bytes = Count * sizeof(int);

int main() {
  CUdevice Device;
  CUcontext Context;
  CHECK_DRIVER(cuInit(0));
  CHECK_DRIVER(cuDeviceGet(&Device, 0));
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&Context, Device));
  CHECK_DRIVER(cuCtxSetCurrent(Context));
  CUdeviceptr In, Out, Unused;
  CHECK_DRIVER(cuMemAlloc(&In, Bytes));
  CHECK_DRIVER(cuMemAlloc(&Out, Bytes));
  CHECK_DRIVER(cuMemAlloc(&Unused, 64));
  std::vector<int> Numbers(Count);
  for (size_t I = 0; I < Count; ++I)
    Numbers[I] = static_cast<int>(I);
  CHECK_DRIVER(cuMemcpyHtoD(In, Numbers.data(), Bytes));
  void *Args[] = {&In, &Out};
  CUmodule Module;
  CUfunction Twice;
  CHECK_DRIVER(cuModuleLoadData(&Module, Ptx));
  CHECK_DRIVER(cuModuleGetFunction(&Twice, Module, "twice"));
  for (int Time = 0; Time < 2; ++Time)
    CHECK_DRIVER(cuLaunchKernel(Twice, 1, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
  CHECK_DRIVER(cuCtxSynchronize());
  CHECK_DRIVER(cuModuleUnload(Module));
  CHECK_DRIVER(cuMemcpyDtoH(Numbers.data(), Out, Bytes));
  std::printf("%d\n", Numbers[Count - 1]);
  CHECK_DRIVER(cuMemFree(In));
  CHECK_DRIVER(cuMemFree(Out));
  CHECK_DRIVER(cuMemFree(Unused));
}
