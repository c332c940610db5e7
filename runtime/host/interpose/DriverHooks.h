//===- DriverHooks.h - The real driver behind interposed functions -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives access to the real driver behind interposed functions, as RuntimeApi.h does for libcudart.
// DriverHooks.def lists the functions; the Interpose*.cpp files define them, and
// InterposeDriver.cpp returns them to programs that look up driver functions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_DRIVERHOOKS_H
#define GMPROF_HOST_INTERPOSE_DRIVERHOOKS_H

#include <array>
#include <cuda.h>
#include <cuda_runtime_api.h>

// Programs still use deprecated functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
extern "C" {
// Older forms, and forms for per-thread default streams, which cuda.h does not declare.
CUresult cuGetProcAddress_v1(const char *, void **, int, cuuint64_t) __asm__("cuGetProcAddress");
decltype(cuEventElapsedTime_v2) cuEventElapsedTime_v1 __asm__("cuEventElapsedTime");
decltype(cuDevicePrimaryCtxReset_v2) cuDevicePrimaryCtxReset_v1 __asm__("cuDevicePrimaryCtxReset");
CUresult cuMemcpyBatchAsync_v1(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                               size_t *, size_t, size_t *, CUstream) __asm__("cuMemcpyBatchAsync");
CUresult cuGraphInstantiate_v1(CUgraphExec *, CUgraph, CUgraphNode *, char *,
                               size_t) __asm__("cuGraphInstantiate");
CUresult cuGraphInstantiate_v2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult cuGraphExecUpdate_v1(CUgraphExec, CUgraph, CUgraphNode *,
                              CUgraphExecUpdateResult *) __asm__("cuGraphExecUpdate");
CUresult
cuGraphAddKernelNode_v1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                        const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphAddKernelNode");
CUresult cuGraphKernelNodeSetParams_v1(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__(
    "cuGraphKernelNodeSetParams");
CUresult cuGraphExecKernelNodeSetParams_v1(
    CUgraphExec, CUgraphNode,
    const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphExecKernelNodeSetParams");
CUresult cuGraphAddNode_v1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                           CUgraphNodeParams *) __asm__("cuGraphAddNode");
decltype(cuMemcpyBatchAsync_v1) cuMemcpyBatchAsync_v1_ptsz __asm__("cuMemcpyBatchAsync_ptsz");
CUresult cuMemcpy3DBatchAsync_v1(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                                 CUstream) __asm__("cuMemcpy3DBatchAsync");
decltype(cuMemcpy3DBatchAsync_v1) cuMemcpy3DBatchAsync_v1_ptsz __asm__("cuMemcpy3DBatchAsync_ptsz");
CUresult cuMemAllocHost_v1(void **, unsigned) __asm__("cuMemAllocHost");
decltype(cuMemHostRegister_v2) cuMemHostRegister_v1 __asm__("cuMemHostRegister");
decltype(cuStreamDestroy_v2) cuStreamDestroy_v1 __asm__("cuStreamDestroy");
decltype(cuEventDestroy_v2) cuEventDestroy_v1 __asm__("cuEventDestroy");
decltype(cuCtxDestroy_v2) cuCtxDestroy_v1 __asm__("cuCtxDestroy");
decltype(cuDevicePrimaryCtxRelease_v2)
    cuDevicePrimaryCtxRelease_v1 __asm__("cuDevicePrimaryCtxRelease");
decltype(cuIpcOpenMemHandle_v2) cuIpcOpenMemHandle_v1 __asm__("cuIpcOpenMemHandle");
decltype(cuStreamWaitValue32_v2) cuStreamWaitValue32_v1 __asm__("cuStreamWaitValue32");
decltype(cuStreamWaitValue32_v2) cuStreamWaitValue32_v1_ptsz __asm__("cuStreamWaitValue32_ptsz");
decltype(cuStreamWaitValue64_v2) cuStreamWaitValue64_v1 __asm__("cuStreamWaitValue64");
decltype(cuStreamWaitValue64_v2) cuStreamWaitValue64_v1_ptsz __asm__("cuStreamWaitValue64_ptsz");
decltype(cuStreamWriteValue32_v2) cuStreamWriteValue32_v1 __asm__("cuStreamWriteValue32");
decltype(cuStreamWriteValue32_v2) cuStreamWriteValue32_v1_ptsz __asm__("cuStreamWriteValue32_ptsz");
decltype(cuStreamWriteValue64_v2) cuStreamWriteValue64_v1 __asm__("cuStreamWriteValue64");
decltype(cuStreamWriteValue64_v2) cuStreamWriteValue64_v1_ptsz __asm__("cuStreamWriteValue64_ptsz");
decltype(cuStreamBatchMemOp_v2) cuStreamBatchMemOp_v1 __asm__("cuStreamBatchMemOp");
decltype(cuStreamBatchMemOp_v2) cuStreamBatchMemOp_v1_ptsz __asm__("cuStreamBatchMemOp_ptsz");
#define GMPROF_DRIVER_HOOK(symbol, since)
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since)
#define GMPROF_DRIVER_HOST_HOOK(symbol, since) decltype(symbol) symbol##_ptds;
#define GMPROF_DRIVER_STREAM_HOOK(symbol, since) decltype(symbol) symbol##_ptsz;
#include "host/interpose/DriverHooks.def"

/// Declares GMProf's functions by names that no other library can define.
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since)                                                   \
  __attribute__((visibility("hidden"))) decltype(id) hooked_##id;
#include "host/interpose/DriverHooks.def"
}
#pragma clang diagnostic pop

/// Defines a driver function in the library's place.
#define GMPROF_INTERPOSE_DRIVER(id, parameters)                                                    \
  extern "C" __attribute__((visibility("default"), alias("hooked_" #id))) CUresult id parameters;  \
  CUresult hooked_##id parameters

namespace gmprof::host {

enum class DriverHook {
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since) id,
#include "host/interpose/DriverHooks.def"
};

/// Returns the C library's dlsym; this library's own returns interposed driver functions.
using DlsymFunction = void *(*)(void *, const char *);
DlsymFunction realDlsym();

/// Returns whether the driver is already loaded.
bool driverIsLoaded();

/// Returns the function that the driver gives the program for this name; null if there is no
/// driver, or it lacks the function.
void *driverEntryPoint(const char *Name, int Version, unsigned long long Flags);

/// Returns the name of the API, without the suffix of the function's form.
const char *nameOf(DriverHook Hook);

/// Returns the driver's addresses of a function: the one that its library exports, and the one that
/// it returns by name. Null if there is none.
std::array<void *, 2> addressesOf(DriverHook Hook);

/// Returns the driver's function; null if there is none.
void *realDriverFunction(DriverHook Hook);

/// Calls the real function, whose codes the runtime shares.
template <typename... Parameters, typename... Args>
cudaError_t callRealDriver(CUresult (*)(Parameters...), DriverHook Hook, Args... Arguments) {
  auto *Real = reinterpret_cast<CUresult (*)(Parameters...)>(realDriverFunction(Hook));
  return Real ? static_cast<cudaError_t>(Real(Arguments...)) : cudaErrorNotSupported;
}

#define GMPROF_REAL_DRIVER(id, ...)                                                                \
  ::gmprof::host::callRealDriver(&::id, ::gmprof::host::DriverHook::id __VA_OPT__(, ) __VA_ARGS__)

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_DRIVERHOOKS_H
