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
#include "cpu/api/Arrays.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Copies.h"
#include "cpu/api/Images.h"
#include "cpu/api/PerThread.h"
#include "cpu/api/exports/Call.h"
#include "cpu/api/exports/KernelNodes.h"
#include <cstring>
#include <cuda.h>
#include <type_traits>

namespace gmprof::cpu::api {

namespace {

//===----------------------------------------------------------------------===//
// Functions that the runtime also has
//===----------------------------------------------------------------------===//

/// Runs a runtime function without its effect on the thread's last error.
template <typename F> CUresult driver(F Body) {
  cudaError_t Before = takeLastError();
  cudaError_t Error = Body();
  takeLastError();
  record(Before);
  return static_cast<CUresult>(Error);
}

/// Converts between types of the runtime and the driver that differ in name only.
template <typename To, typename From> To convert(From Value) {
  if constexpr (std::is_convertible_v<From, To>)
    return static_cast<To>(Value);
  else
    return (To)Value; // NOLINT: pointers, handles and enumerators of equal value
}

template <typename Signature, auto Function> struct Same;
template <typename... DriverArgs, typename... RuntimeArgs, cudaError_t (*Function)(RuntimeArgs...)>
struct Same<CUresult(DriverArgs...), Function> {
  static CUresult entry(DriverArgs... Args) {
    return driver([&] { return Function(convert<RuntimeArgs>(Args)...); });
  }
};

//===----------------------------------------------------------------------===//
// Contexts: each device has one
//===----------------------------------------------------------------------===//

/// Devices that were current before each context that the thread has pushed.
using PushedContexts = std::vector<int>;

CUcontext contextOf(int Index) { return reinterpret_cast<CUcontext>(&device(Index)); }

CUresult init(unsigned Flags) { return Flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult deviceGet(CUdevice *Out, int Index) {
  if (!Out || !validDevice(Index))
    return Out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *Out = Index;
  return CUDA_SUCCESS;
}

CUresult deviceGetName(char *Text, int Bytes, CUdevice Index) {
  if (!validDevice(Index))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!Text || Bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(Text, Bytes, "%s", deviceProperties(Index).name);
  return CUDA_SUCCESS;
}

CUresult ctxGetCurrent(CUcontext *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(currentDeviceIndex());
  return CUDA_SUCCESS;
}

CUresult ctxSetCurrent(CUcontext Context) {
  if (Context)
    setCurrentDevice(reinterpret_cast<Device *>(Context)->Index);
  return CUDA_SUCCESS;
}

CUresult ctxPushCurrent(CUcontext Context) {
  if (!Context)
    return CUDA_ERROR_INVALID_CONTEXT;
  ofThread<PushedContexts>().push_back(currentDeviceIndex());
  return ctxSetCurrent(Context);
}

CUresult ctxPopCurrent(CUcontext *Out) {
  auto &Before = ofThread<PushedContexts>();
  if (Before.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Out)
    *Out = contextOf(currentDeviceIndex());
  setCurrentDevice(Before.back());
  Before.pop_back();
  return CUDA_SUCCESS;
}

CUresult streamGetCtx(CUstream Handle, CUcontext *Out) {
  int Index = 0;
  CUresult Error = driver([&] { return cudaStreamGetDevice(Handle, &Index); });
  if (Error != CUDA_SUCCESS || !Out)
    return Error != CUDA_SUCCESS ? Error : CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(Index);
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRetain(CUcontext *Out, CUdevice Index) {
  if (!Out || !validDevice(Index))
    return Out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(Index);
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRelease(CUdevice Index) {
  return validDevice(Index) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

CUresult giveText(const char *Text, const char **Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Text;
  return CUDA_SUCCESS;
}

CUresult getErrorName(CUresult Error, const char **Out) {
  return giveText(errorName(static_cast<cudaError_t>(Error)), Out);
}

CUresult getErrorString(CUresult Error, const char **Out) {
  return giveText(errorText(static_cast<cudaError_t>(Error)), Out);
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

std::shared_ptr<Kernel> kernelOf(const void *Handle) { return modules().published(Handle); }

CUresult funcGetModule(CUmodule *Out, CUfunction Handle) {
  std::shared_ptr<Kernel> K = kernelOf(Handle);
  if (!Out || !K)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *Out = reinterpret_cast<CUmodule>(&K->Owner);
  return CUDA_SUCCESS;
}

CUresult funcGetAttribute(int *Out, CUfunction_attribute Attribute, CUfunction Handle) {
  std::shared_ptr<Kernel> K = kernelOf(Handle);
  if (!Out || !K)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes A = attributesOf(*K);
  switch (Attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Out = A.maxThreadsPerBlock;
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *Out = static_cast<int>(A.sharedSizeBytes);
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *Out = A.numRegs;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *Out = A.ptxVersion;
    break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *Out = A.binaryVersion;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Out = A.maxDynamicSharedSizeBytes;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *Out = A.preferredShmemCarveout;
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *Out = A.nonPortableClusterSizeAllowed;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *Out = A.requiredClusterWidth;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    *Out = A.requiredClusterHeight;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *Out = A.requiredClusterDepth;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *Out = A.clusterSchedulingPolicyPreference;
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *Out = 0;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *Out = A.clusterDimMustBeSet;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult kernelGetFunction(CUfunction *Out, CUkernel Handle) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  return driver([&] { return cudaGetFuncBySymbol(Out, Handle); });
}

/// Loads a module on the current device.
CUresult addModule(CUmodule *Out, const void *Source,
                   Result<std::shared_ptr<Image>> (*Find)(const void *)) {
  if (!Out || !Source)
    return CUDA_ERROR_INVALID_VALUE;
  return driver([&] {
    return call([&] {
      auto Code = Find(Source);
      if (!Code)
        return Code.Error;
      auto Loaded = Code.Value->load(currentDeviceIndex(), "a module");
      if (Loaded)
        *Out = static_cast<CUmodule>(loadedModules().add(std::move(Loaded.Value)));
      return Loaded.Error;
    });
  });
}

CUresult moduleLoadData(CUmodule *Out, const void *Data) { return addModule(Out, Data, copyImage); }

// Options of the compiler do not apply.
CUresult moduleLoadDataEx(CUmodule *Out, const void *Data, unsigned, CUjit_option *, void **) {
  return moduleLoadData(Out, Data);
}

CUresult moduleLoad(CUmodule *Out, const char *File) {
  return addModule(Out, File,
                   [](const void *File) { return readImage(static_cast<const char *>(File)); });
}

CUresult moduleUnload(CUmodule Module) {
  return driver([&] {
    return call([&] {
      return loadedModules().remove(Module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
  });
}

CUresult moduleGetFunctionCount(unsigned *Out, CUmodule Module) {
  if (!Out || !Module)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *Out = static_cast<unsigned>(reinterpret_cast<LoadedModule *>(Module)->code().kernels().size());
  return CUDA_SUCCESS;
}

CUresult libraryGetModule(CUmodule *Out, CUlibrary Handle) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  return driver([&] {
    return call([&] {
      std::shared_ptr<Image> Library = libraries().find(Handle);
      if (!Library)
        return cudaErrorInvalidResourceHandle;
      auto Loaded = Library->load(currentDeviceIndex(), "a library");
      *Out = reinterpret_cast<CUmodule>(Loaded.Value.get());
      return Loaded.Error;
    });
  });
}

CUresult moduleGetFunction(CUfunction *Out, CUmodule Module, const char *Name) {
  if (!Out || !Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Module)
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Kernel> K = reinterpret_cast<LoadedModule *>(Module)->kernel(Name);
  if (!K)
    return CUDA_ERROR_NOT_FOUND;
  *Out = reinterpret_cast<CUfunction>(K.get());
  return CUDA_SUCCESS;
}

CUresult moduleGetGlobal(CUdeviceptr *Address, size_t *Bytes, CUmodule Module, const char *Name) {
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Module)
    return CUDA_ERROR_INVALID_HANDLE;
  const GlobalInfo *Info = reinterpret_cast<LoadedModule *>(Module)->variable(Name);
  if (!Info)
    return CUDA_ERROR_NOT_FOUND;
  if (Address)
    *Address = reinterpret_cast<CUdeviceptr>(Info->Address);
  if (Bytes)
    *Bytes = Info->Bytes;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

CUresult launch(LaunchRequest Request, CUstream Handle) {
  return driver([&] {
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
  return driver([&] {
    return cudaMemcpy(convert<void *>(Target), convert<const void *>(Source), Bytes, Kind);
  });
}

template <cudaMemcpyKind Kind, typename To, typename From>
CUresult copyLater(To Target, From Source, size_t Bytes, CUstream Handle) {
  return driver([&] {
    return cudaMemcpyAsync(convert<void *>(Target), convert<const void *>(Source), Bytes, Kind,
                           Handle);
  });
}

template <typename Word>
CUresult fillWith(CUdeviceptr Target, Word Value, size_t Count, CUstream Handle, bool Blocking) {
  return driver([&] {
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
// Kernel nodes
//===----------------------------------------------------------------------===//

std::optional<cudaKernelNodeParams> runtimeParameters(const CUDA_KERNEL_NODE_PARAMS *P) {
  if (!P)
    return std::nullopt;
  void *Function = P->func ? static_cast<void *>(P->func) : static_cast<void *>(P->kern);
  return cudaKernelNodeParams{Function,
                              {P->gridDimX, P->gridDimY, P->gridDimZ},
                              {P->blockDimX, P->blockDimY, P->blockDimZ},
                              P->sharedMemBytes,
                              P->kernelParams,
                              P->extra};
}

CUresult graphAddKernelNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *After, size_t Count,
                            const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return driver([&] {
    return cudaGraphAddKernelNode(Out, Graph, After, Count, Params ? &*Params : nullptr);
  });
}

CUresult graphKernelNodeGetParams(CUgraphNode Handle, CUDA_KERNEL_NODE_PARAMS *Out) {
  GraphNode *Node = findNode(Handle);
  if (!Node || !Node->as<KernelOp>() || !Out)
    return CUDA_ERROR_INVALID_VALUE;
  cudaKernelNodeParams P = kernelParameters(*Node);
  *Out = {};
  // The driver API has kernels, not host stubs.
  Out->func = reinterpret_cast<CUfunction>(Node->as<KernelOp>()->Code.get());
  Out->gridDimX = P.gridDim.x;
  Out->gridDimY = P.gridDim.y;
  Out->gridDimZ = P.gridDim.z;
  Out->blockDimX = P.blockDim.x;
  Out->blockDimY = P.blockDim.y;
  Out->blockDimZ = P.blockDim.z;
  Out->sharedMemBytes = P.sharedMemBytes;
  Out->kernelParams = P.kernelParams;
  return CUDA_SUCCESS;
}

CUresult graphKernelNodeSetParams(CUgraphNode Node, const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return driver([&] { return cudaGraphKernelNodeSetParams(Node, Params ? &*Params : nullptr); });
}

CUresult graphExecKernelNodeSetParams(CUgraphExec Graph, CUgraphNode Node,
                                      const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return driver(
      [&] { return cudaGraphExecKernelNodeSetParams(Graph, Node, Params ? &*Params : nullptr); });
}

//===----------------------------------------------------------------------===//
// Copies of graphs
//===----------------------------------------------------------------------===//

CUmemorytype memoryType(bool OnHost, cudaMemcpyKind Kind) {
  if (Kind == cudaMemcpyDefault)
    return CU_MEMORYTYPE_UNIFIED;
  return OnHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUresult graphMemcpyNodeGetParams(CUgraphNode Node, CUDA_MEMCPY3D *Out) {
  cudaMemcpy3DParms P = {};
  CUresult Error = driver([&] { return cudaGraphMemcpyNodeGetParams(Node, &P); });
  if (Error != CUDA_SUCCESS || !Out)
    return Error != CUDA_SUCCESS ? Error : CUDA_ERROR_INVALID_VALUE;
  *Out = {};
  Out->srcMemoryType =
      memoryType(P.kind == cudaMemcpyHostToDevice || P.kind == cudaMemcpyHostToHost, P.kind);
  Out->srcXInBytes = P.srcPos.x;
  Out->srcY = P.srcPos.y;
  Out->srcZ = P.srcPos.z;
  Out->srcHost = P.srcPtr.ptr;
  Out->srcDevice = convert<CUdeviceptr>(P.srcPtr.ptr);
  Out->srcPitch = P.srcPtr.pitch;
  Out->srcHeight = P.srcPtr.ysize;
  Out->dstMemoryType =
      memoryType(P.kind == cudaMemcpyDeviceToHost || P.kind == cudaMemcpyHostToHost, P.kind);
  Out->dstXInBytes = P.dstPos.x;
  Out->dstY = P.dstPos.y;
  Out->dstZ = P.dstPos.z;
  Out->dstHost = P.dstPtr.ptr;
  Out->dstDevice = convert<CUdeviceptr>(P.dstPtr.ptr);
  Out->dstPitch = P.dstPtr.pitch;
  Out->dstHeight = P.dstPtr.ysize;
  if (P.srcArray)
    Out->srcMemoryType = CU_MEMORYTYPE_ARRAY;
  if (P.dstArray)
    Out->dstMemoryType = CU_MEMORYTYPE_ARRAY;
  Out->srcArray = reinterpret_cast<CUarray>(P.srcArray);
  Out->dstArray = reinterpret_cast<CUarray>(P.dstArray);
  // Extents and positions in arrays are in texels; here they are in bytes.
  const size_t Bytes = texelBytes(P.srcArray ? P.srcArray : P.dstArray);
  Out->srcXInBytes *= P.srcArray ? Bytes : 1;
  Out->dstXInBytes *= P.dstArray ? Bytes : 1;
  Out->WidthInBytes = P.extent.width * Bytes;
  Out->Height = P.extent.height;
  Out->Depth = P.extent.depth;
  return CUDA_SUCCESS;
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
    GMPROF_OWN(cuDevicePrimaryCtxRetain, devicePrimaryCtxRetain),
    GMPROF_OWN(cuDevicePrimaryCtxRelease, devicePrimaryCtxRelease),
    GMPROF_OWN(cuCtxGetCurrent, ctxGetCurrent),
    GMPROF_OWN(cuCtxSetCurrent, ctxSetCurrent),
    GMPROF_OWN(cuCtxPushCurrent, ctxPushCurrent),
    GMPROF_OWN(cuCtxPopCurrent, ctxPopCurrent),
    GMPROF_SAME(cuCtxGetDevice, cudaGetDevice),
    GMPROF_SAME(cuCtxSynchronize, cudaDeviceSynchronize),

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
