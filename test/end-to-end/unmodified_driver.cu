// A program that has no CUDA runtime: it loads libcuda, as interpreters' libraries do, and a kernel
// as text.
// DEVICE: gpu
// BUILD-NVCC: -O2 -x=c++ -cudart=none -ldl
// OPTIONS: profile=objects:clones=compiled
// EXPECT: [(o["kind"], o["bytes"], o["alloc"]["api"], o["released"])
//     for o in summary["objects"]] == [
//     ("device", 4096, "cuMemAlloc", True), ("device", 4096, "cuMemAlloc", True),
//     ("device", 64, "cuMemAlloc", True), ("device", 256, "cuMemAlloc", False)]
// EXPECT: [(use["object"], use["reads"], use["writes"], use["known"])
//     for use in kernel("twice").data["object_accesses"]]
//     == [(0, 3, 3, "inferred"), (1, 3, 3, "inferred")]
// EXPECT: [(o["first_access"]["api"], o["last_access"]["api"]) for o in summary["objects"][:2]]
//     == [("cuMemcpyHtoD", "twice"), ("cuMemsetD32", "cuMemcpyDtoH")]
// EXPECT: sorted((f["evidence"]["bytes"], f["pattern"]) for f in summary["findings"]
//     if f["pattern"] in ("memory_leak", "unused_allocation"))
//     == [(64, "unused_allocation"), (256, "unused_allocation")]
// EXPECT: coverage["objects"]["launches_inferred"] == 3
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 2046
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>

#define CHECK_DRIVER(call)                                                                         \
  do {                                                                                             \
    if (CUresult Error = (call)) {                                                                 \
      std::printf("%s: error %d\n", #call, static_cast<int>(Error));                               \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

static void *Library;
template <typename F> static F find(F, const char *Name) {
  void *Found = dlsym(Library, Name);
  if (!Found) {
    std::printf("libcuda has no %s\n", Name);
    std::exit(1);
  }
  return reinterpret_cast<F>(Found);
}
/// Looks functions up as libraries do that request a certain version.
static void *findByVersion(const char *Name, int Version) {
  static const auto Get = find(&cuGetProcAddress_v2, "cuGetProcAddress_v2");
  void *Found = nullptr;
  CUdriverProcAddressQueryResult Status;
  CHECK_DRIVER(Get(Name, &Found, Version, CU_GET_PROC_ADDRESS_DEFAULT, &Status));
  return Found;
}
#define BY_NAME(name) const auto name##Of = find(&name, #name)
#define BY_NAME_AS(name, symbol) const auto name##Of = find(&name, symbol)
#define BY_VERSION(name, base, version)                                                            \
  const auto name##Of = reinterpret_cast<decltype(&name)>(findByVersion(base, version))

static const char Ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry _Z5twicePKiPi(.param .u64 In, .param .u64 Out)
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

constexpr unsigned Count = 1024;
constexpr size_t Bytes = Count * sizeof(int);

int main() {
  Library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  BY_NAME(cuInit);
  BY_NAME(cuDeviceGet);
  BY_NAME(cuDevicePrimaryCtxRetain);
  BY_NAME(cuCtxSetCurrent);
  BY_NAME(cuModuleLoadData);
  BY_NAME(cuModuleGetFunction);
  BY_NAME(cuModuleUnload);
  BY_NAME(cuLaunchKernel);
  BY_NAME_AS(cuMemAlloc, "cuMemAlloc_v2");
  BY_NAME_AS(cuMemFree, "cuMemFree_v2");
  CUdevice Device;
  CUcontext Context;
  CHECK_DRIVER(cuInitOf(0));
  CHECK_DRIVER(cuDeviceGetOf(&Device, 0));
  CHECK_DRIVER(cuDevicePrimaryCtxRetainOf(&Context, Device));
  CHECK_DRIVER(cuCtxSetCurrentOf(Context));
  BY_VERSION(cuMemcpyHtoD, "cuMemcpyHtoD", 3020);
  BY_VERSION(cuMemcpyDtoH, "cuMemcpyDtoH", 3020);
  BY_VERSION(cuMemsetD32, "cuMemsetD32", 3020);
  BY_VERSION(cuLaunchKernelEx, "cuLaunchKernelEx", 11060);
  BY_VERSION(cuStreamSynchronize, "cuStreamSynchronize", 2000);

  CUdeviceptr In, Out, Unused, Lost;
  CHECK_DRIVER(cuMemAllocOf(&In, Bytes));
  CHECK_DRIVER(cuMemAllocOf(&Out, Bytes));
  CHECK_DRIVER(cuMemAllocOf(&Unused, 64));
  CHECK_DRIVER(cuMemAllocOf(&Lost, 256));
  int Numbers[Count];
  for (unsigned I = 0; I < Count; ++I)
    Numbers[I] = static_cast<int>(I);
  CHECK_DRIVER(cuMemcpyHtoDOf(In, Numbers, Bytes));
  CHECK_DRIVER(cuMemsetD32Of(Out, 7, Count));
  CUmodule Module;
  CUfunction Twice;
  CHECK_DRIVER(cuModuleLoadDataOf(&Module, Ptx));
  CHECK_DRIVER(cuModuleGetFunctionOf(&Twice, Module, "_Z5twicePKiPi"));
  void *Args[] = {&In, &Out};
  CHECK_DRIVER(cuLaunchKernelOf(Twice, 1, 1, 1, Count, 1, 1, 0, nullptr, Args, nullptr));
  // The arguments in one piece.
  CUdeviceptr Packed[] = {In, Out};
  size_t PackedBytes = sizeof(Packed);
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, Packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &PackedBytes, CU_LAUNCH_PARAM_END};
  CHECK_DRIVER(cuLaunchKernelOf(Twice, 1, 1, 1, Count, 1, 1, 0, nullptr, nullptr, Extra));
  CUlaunchConfig Config = {};
  Config.gridDimX = Config.gridDimY = Config.gridDimZ = Config.blockDimY = Config.blockDimZ = 1;
  Config.blockDimX = Count;
  CHECK_DRIVER(cuLaunchKernelExOf(&Config, Twice, Args, nullptr));
  CHECK_DRIVER(cuStreamSynchronizeOf(nullptr));
  CHECK_DRIVER(cuMemcpyDtoHOf(Numbers, Out, Bytes));
  std::printf("%d\n", Numbers[Count - 1]);
  CHECK_DRIVER(cuModuleUnloadOf(Module));
  CHECK_DRIVER(cuMemFreeOf(In));
  CHECK_DRIVER(cuMemFreeOf(Out));
  CHECK_DRIVER(cuMemFreeOf(Unused));
}
