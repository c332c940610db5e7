//===- DriverFunctions.cpp - CUDA driver functions, compiled twice --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no libcuda: programs and the host runtime obtain these functions through
// cudaGetDriverEntryPoint. A new one is a line in the table at the end: GMPROF_SAME if the runtime
// has the same function under another name, GMPROF_OWN otherwise. Signatures are checked against
// cuda.h, in which a name stands for its newest version. Driver functions leave the thread's last
// error unchanged.
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/DriverFunctions.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Copies.h"
#include "cpu/api/Launch.h"
#include "cpu/api/Memory.h"
#include "cpu/api/exports/Call.h"
#include "cpu/api/exports/DriverObjects.h"
#include <cstring>

namespace gmprof::cpu::api {

using namespace driver;

namespace {

//===----------------------------------------------------------------------===//
// Functions that the runtime also has
//===----------------------------------------------------------------------===//

template <typename Signature, auto Function> struct Same;
template <typename... DriverArgs, typename... RuntimeArgs, cudaError_t (*Function)(RuntimeArgs...)>
struct Same<CUresult(DriverArgs...), Function> {
  static CUresult entry(DriverArgs... Args) {
    return viaRuntime([&] { return Function(convert<RuntimeArgs>(Args)...); });
  }
};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

CUresult streamGetCtx(CUstream Handle, CUcontext *Out) {
  int Index = 0;
  CUresult Error = viaRuntime([&] { return cudaStreamGetDevice(Handle, &Index); });
  if (Error != CUDA_SUCCESS || !Out)
    return Error != CUDA_SUCCESS ? Error : CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(Index);
  return CUDA_SUCCESS;
}

CUresult launch(LaunchRequest Request, CUstream Handle) {
  return viaRuntime([&] {
    return callOn(Handle, [&](Stream &S) {
      Result<KernelOp> Op = prepareLaunch(Request);
      return Op ? submit(S, std::move(Op.Value)).Error : Op.Error;
    });
  });
}

CUresult launchKernel(CUfunction Function, unsigned GridX, unsigned GridY, unsigned GridZ,
                      unsigned BlockX, unsigned BlockY, unsigned BlockZ, unsigned Shared,
                      CUstream Handle, void **Arguments, void **Extra) {
  return launch({Function,
                 {GridX, GridY, GridZ},
                 {BlockX, BlockY, BlockZ},
                 Shared,
                 false,
                 0,
                 Arguments,
                 Extra},
                Handle);
}

CUresult launchCooperativeKernel(CUfunction Function, unsigned GridX, unsigned GridY,
                                 unsigned GridZ, unsigned BlockX, unsigned BlockY, unsigned BlockZ,
                                 unsigned Shared, CUstream Handle, void **Arguments) {
  return launch({Function,
                 {GridX, GridY, GridZ},
                 {BlockX, BlockY, BlockZ},
                 Shared,
                 true,
                 0,
                 Arguments,
                 nullptr},
                Handle);
}

CUresult launchKernelEx(const CUlaunchConfig *C, CUfunction Function, void **Arguments,
                        void **Extra) {
  if (!C)
    return CUDA_ERROR_INVALID_VALUE;
  LaunchRequest Request{Function,
                        {C->gridDimX, C->gridDimY, C->gridDimZ},
                        {C->blockDimX, C->blockDimY, C->blockDimZ},
                        C->sharedMemBytes,
                        false,
                        0,
                        Arguments,
                        Extra};
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  auto *Attributes = reinterpret_cast<const cudaLaunchAttribute *>(C->attrs);
  if (cudaError_t Error = applyAttributes(Attributes, C->numAttrs, Request))
    return static_cast<CUresult>(Error);
  return launch(Request, C->hStream);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <cudaMemcpyKind Kind, typename To, typename From>
CUresult copyNow(To Target, From Source, size_t Bytes) {
  return viaRuntime([&] {
    return cudaMemcpy(convert<void *>(Target), convert<const void *>(Source), Bytes, Kind);
  });
}

template <cudaMemcpyKind Kind, typename To, typename From>
CUresult copyLater(To Target, From Source, size_t Bytes, CUstream Handle) {
  return viaRuntime([&] {
    return cudaMemcpyAsync(convert<void *>(Target), convert<const void *>(Source), Bytes, Kind,
                           Handle);
  });
}

template <typename Word>
CUresult fillWith(CUdeviceptr Target, Word Value, size_t Count, CUstream Handle, bool Blocking) {
  return viaRuntime([&] {
    return callOn(Handle, [&](Stream &S) {
      MemsetOp Op{{convert<void *>(Target), Count * sizeof(Word), Value, sizeof(Word), Count, 1}};
      return fill(S, Op, Blocking);
    });
  });
}

template <typename Word> CUresult fillNow(CUdeviceptr Target, Word Value, size_t Count) {
  return fillWith(Target, Value, Count, nullptr, true);
}

template <typename Word>
CUresult fillLater(CUdeviceptr Target, Word Value, size_t Count, CUstream Handle) {
  return fillWith(Target, Value, Count, Handle, false);
}

CUresult pointerGetAttribute(void *Out, CUpointer_attribute Attribute, CUdeviceptr Pointer) {
  std::optional<Allocation> A = memory().find(convert<const void *>(Pointer));
  if (!Out || !A)
    return CUDA_ERROR_INVALID_VALUE;
  switch (Attribute) {
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(Out) = A->Device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<CUdeviceptr *>(Out) = Pointer;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Entry {
  const char *Name;
  void *Function;
};

#define GMPROF_SAME(Name, RuntimeName)                                                             \
  {#Name, reinterpret_cast<void *>(&Same<decltype(Name), &RuntimeName>::entry)}
#define GMPROF_OWN(Name, Function)                                                                 \
  {#Name, reinterpret_cast<void *>(static_cast<decltype(&Name)>(Function))}

const Entry Table[] = {
    GMPROF_OWN(cuInit, init),
    GMPROF_SAME(cuDriverGetVersion, cudaDriverGetVersion),
    GMPROF_OWN(cuGetErrorName, getErrorName),
    GMPROF_OWN(cuGetErrorString, getErrorString),
    GMPROF_OWN(cuDeviceGet, deviceGet),
    GMPROF_SAME(cuDeviceGetCount, cudaGetDeviceCount),
    GMPROF_OWN(cuDeviceGetName, deviceGetName),
    GMPROF_SAME(cuDeviceGetAttribute, cudaDeviceGetAttribute),
    GMPROF_SAME(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId),
    GMPROF_OWN(cuDevicePrimaryCtxRetain, devicePrimaryCtxRetain),
    GMPROF_OWN(cuDevicePrimaryCtxRelease, devicePrimaryCtxRelease),
    GMPROF_OWN(cuCtxGetCurrent, ctxGetCurrent),
    GMPROF_OWN(cuCtxSetCurrent, ctxSetCurrent),
    GMPROF_OWN(cuCtxPushCurrent, ctxPushCurrent),
    GMPROF_OWN(cuCtxPopCurrent, ctxPopCurrent),
    GMPROF_SAME(cuCtxGetDevice, cudaGetDevice),
    GMPROF_SAME(cuCtxSynchronize, cudaDeviceSynchronize),
    GMPROF_SAME(cuCtxGetLimit, cudaDeviceGetLimit),
    GMPROF_SAME(cuCtxSetLimit, cudaDeviceSetLimit),

    GMPROF_OWN(cuModuleLoad, moduleLoad),
    GMPROF_OWN(cuModuleLoadData, moduleLoadData),
    GMPROF_OWN(cuModuleLoadDataEx, moduleLoadDataEx),
    GMPROF_OWN(cuModuleLoadFatBinary, moduleLoadData),
    GMPROF_OWN(cuModuleUnload, moduleUnload),
    GMPROF_SAME(cuLibraryLoadData, cudaLibraryLoadData),
    GMPROF_SAME(cuLibraryLoadFromFile, cudaLibraryLoadFromFile),
    GMPROF_SAME(cuLibraryUnload, cudaLibraryUnload),
    GMPROF_SAME(cuLibraryGetKernel, cudaLibraryGetKernel),
    GMPROF_SAME(cuLibraryGetKernelCount, cudaLibraryGetKernelCount),
    GMPROF_SAME(cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels),
    GMPROF_SAME(cuLibraryGetGlobal, cudaLibraryGetGlobal),
    GMPROF_SAME(cuLibraryGetManaged, cudaLibraryGetManaged),
    GMPROF_OWN(cuLibraryGetModule, libraryGetModule),
    GMPROF_OWN(cuModuleGetFunction, moduleGetFunction),
    GMPROF_OWN(cuModuleGetFunctionCount, moduleGetFunctionCount),
    GMPROF_OWN(cuModuleGetGlobal, moduleGetGlobal),
    GMPROF_OWN(cuFuncGetModule, funcGetModule),
    GMPROF_SAME(cuFuncGetName, cudaFuncGetName),
    GMPROF_SAME(cuFuncGetParamInfo, cudaFuncGetParamInfo),
    GMPROF_OWN(cuFuncGetAttribute, funcGetAttribute),
    GMPROF_SAME(cuFuncSetAttribute, cudaFuncSetAttribute),
    GMPROF_SAME(cuFuncSetCacheConfig, cudaFuncSetCacheConfig),
    GMPROF_OWN(cuKernelGetFunction, kernelGetFunction),
    GMPROF_OWN(cuKernelGetLibrary, kernelGetLibrary),
    GMPROF_SAME(cuKernelGetName, cudaFuncGetName),
    GMPROF_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor),

    GMPROF_OWN(cuLaunchKernel, launchKernel),
    GMPROF_OWN(cuLaunchKernelEx, launchKernelEx),
    GMPROF_OWN(cuLaunchCooperativeKernel, launchCooperativeKernel),
    GMPROF_SAME(cuLaunchHostFunc, cudaLaunchHostFunc),

    GMPROF_SAME(cuMemAlloc, cudaMalloc),
    GMPROF_SAME(cuMemAllocManaged, cudaMallocManaged),
    GMPROF_SAME(cuMemFree, cudaFree),
    GMPROF_SAME(cuMemAllocHost, cudaMallocHost),
    GMPROF_SAME(cuMemHostAlloc, cudaHostAlloc),
    GMPROF_SAME(cuMemFreeHost, cudaFreeHost),
    GMPROF_SAME(cuMemHostRegister, cudaHostRegister),
    GMPROF_SAME(cuMemHostUnregister, cudaHostUnregister),
    GMPROF_SAME(cuMemHostGetDevicePointer, cudaHostGetDevicePointer),
    GMPROF_SAME(cuMemHostGetFlags, cudaHostGetFlags),
    GMPROF_SAME(cuMemAllocAsync, cudaMallocAsync),
    GMPROF_SAME(cuMemFreeAsync, cudaFreeAsync),
    GMPROF_SAME(cuMemGetInfo, cudaMemGetInfo),
    GMPROF_SAME(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool),
    GMPROF_SAME(cuDeviceGetMemPool, cudaDeviceGetMemPool),
    GMPROF_SAME(cuMemPoolGetAttribute, cudaMemPoolGetAttribute),
    GMPROF_SAME(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute),
    GMPROF_OWN(cuPointerGetAttribute, pointerGetAttribute),
    GMPROF_OWN(cuMemcpy, copyNow<cudaMemcpyDefault>),
    GMPROF_OWN(cuMemcpyHtoD, copyNow<cudaMemcpyHostToDevice>),
    GMPROF_OWN(cuMemcpyDtoH, copyNow<cudaMemcpyDeviceToHost>),
    GMPROF_OWN(cuMemcpyDtoD, copyNow<cudaMemcpyDeviceToDevice>),
    GMPROF_OWN(cuMemcpyAsync, copyLater<cudaMemcpyDefault>),
    GMPROF_OWN(cuMemcpyHtoDAsync, copyLater<cudaMemcpyHostToDevice>),
    GMPROF_OWN(cuMemcpyDtoHAsync, copyLater<cudaMemcpyDeviceToHost>),
    GMPROF_OWN(cuMemcpyDtoDAsync, copyLater<cudaMemcpyDeviceToDevice>),
    GMPROF_OWN(cuMemsetD8, fillNow<unsigned char>),
    GMPROF_OWN(cuMemsetD16, fillNow<unsigned short>),
    GMPROF_OWN(cuMemsetD32, fillNow<unsigned>),
    GMPROF_OWN(cuMemsetD8Async, fillLater<unsigned char>),
    GMPROF_OWN(cuMemsetD16Async, fillLater<unsigned short>),
    GMPROF_OWN(cuMemsetD32Async, fillLater<unsigned>),

    GMPROF_SAME(cuStreamCreate, cudaStreamCreateWithFlags),
    GMPROF_SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority),
    GMPROF_SAME(cuStreamDestroy, cudaStreamDestroy),
    GMPROF_SAME(cuStreamSynchronize, cudaStreamSynchronize),
    GMPROF_SAME(cuStreamQuery, cudaStreamQuery),
    GMPROF_SAME(cuStreamGetFlags, cudaStreamGetFlags),
    GMPROF_OWN(cuStreamGetCtx, streamGetCtx),
    GMPROF_SAME(cuStreamGetId, cudaStreamGetId),
    GMPROF_SAME(cuStreamGetPriority, cudaStreamGetPriority),
    GMPROF_SAME(cuStreamWaitEvent, cudaStreamWaitEvent),
    GMPROF_SAME(cuStreamBeginCapture, cudaStreamBeginCapture),
    GMPROF_SAME(cuStreamEndCapture, cudaStreamEndCapture),
    GMPROF_SAME(cuStreamIsCapturing, cudaStreamIsCapturing),
    GMPROF_SAME(cuStreamGetCaptureInfo, cudaStreamGetCaptureInfo),
    GMPROF_SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode),
    GMPROF_SAME(cuEventCreate, cudaEventCreateWithFlags),
    GMPROF_SAME(cuEventDestroy, cudaEventDestroy),
    GMPROF_SAME(cuEventRecord, cudaEventRecord),
    GMPROF_SAME(cuEventQuery, cudaEventQuery),
    GMPROF_SAME(cuEventSynchronize, cudaEventSynchronize),
    GMPROF_SAME(cuEventElapsedTime, cudaEventElapsedTime),

    GMPROF_OWN(cuGraphAddKernelNode, graphAddKernelNode),
    GMPROF_OWN(cuGraphKernelNodeGetParams, graphKernelNodeGetParams),
    GMPROF_OWN(cuGraphKernelNodeSetParams, graphKernelNodeSetParams),
    GMPROF_OWN(cuGraphExecKernelNodeSetParams, graphExecKernelNodeSetParams),
    GMPROF_SAME(cuGraphLaunch, cudaGraphLaunch),
    GMPROF_SAME(cuGraphCreate, cudaGraphCreate),
    GMPROF_SAME(cuGraphDestroy, cudaGraphDestroy),
    GMPROF_SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiate),
    GMPROF_SAME(cuGraphGetNodes, cudaGraphGetNodes),
    GMPROF_SAME(cuGraphGetEdges, cudaGraphGetEdges),
    GMPROF_SAME(cuGraphNodeGetType, cudaGraphNodeGetType),
    GMPROF_SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph),
    GMPROF_OWN(cuGraphMemcpyNodeGetParams, graphMemcpyNodeGetParams),
    GMPROF_SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams),
    GMPROF_SAME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams),
    GMPROF_SAME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams),
};

/// Removes version suffixes: "cuMemAlloc_v2" and "cuMemAlloc" are the same function here.
std::string baseName(std::string Name) {
  for (const char *Suffix : {"_ptsz", "_ptds", "_v2", "_v3"})
    if (Name.ends_with(Suffix))
      Name.resize(Name.size() - strlen(Suffix));
  return Name;
}

} // namespace

template <> void *driverFunction<Default>(const std::string &Name) {
  std::string Base = baseName(Name);
  for (const Entry &E : Table)
    if (Base == E.Name)
      return E.Function;
  return nullptr;
}

namespace {

cudaError_t giveEntryPoint(const char *Name, void **Out, unsigned long long Flags,
                           cudaDriverEntryPointQueryResult *Status) {
  return query([&] {
    if (!Name || !*Name || !Out || Flags > cudaEnablePerThreadDefaultStream)
      return cudaErrorInvalidValue;
    bool PerThread = Flags == cudaEnableDefault ? Default == DefaultStream::PerThread
                                                : Flags == cudaEnablePerThreadDefaultStream;
    *Out = PerThread ? driverFunction<DefaultStream::PerThread>(Name)
                     : driverFunction<DefaultStream::Legacy>(Name);
    if (Status)
      *Status = *Out ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

} // namespace

} // namespace gmprof::cpu::api

using namespace gmprof::cpu::api;

cudaError_t cudaGetDriverEntryPoint(const char *Name, void **Out, unsigned long long Flags,
                                    cudaDriverEntryPointQueryResult *Status) {
  return giveEntryPoint(Name, Out, Flags, Status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *Name, void **Out, unsigned,
                                             unsigned long long Flags,
                                             cudaDriverEntryPointQueryResult *Status) {
  return giveEntryPoint(Name, Out, Flags, Status);
}
