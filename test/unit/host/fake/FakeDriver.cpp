//===- FakeDriver.cpp - Driver functions, given by name -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver functions are looked up by name, as cudaGetDriverEntryPoint does.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include <cstdlib>
#include <cstring>

using namespace fake;

static CUresult fakeCtxGetCurrent(CUcontext *To) {
  DRIVER(cuCtxGetCurrent)
  *To = Current;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxPushCurrent(CUcontext Context) {
  DRIVER(cuCtxPushCurrent)
  Current = Context;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxPopCurrent(CUcontext *To) {
  DRIVER(cuCtxPopCurrent)
  *To = Current;
  Current = nullptr;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxGetDevice(CUdevice *To) {
  DRIVER(cuCtxGetDevice)
  *To = CurrentDevice;
  return CUDA_SUCCESS;
}

static CUresult fakeDeviceGetName(char *To, int Bytes, CUdevice) {
  DRIVER(cuDeviceGetName)
  std::strncpy(To, "Fake", Bytes);
  return CUDA_SUCCESS;
}

static CUresult fakeDeviceGetAttribute(int *To, CUdevice_attribute A, CUdevice) {
  DRIVER(cuDeviceGetAttribute)
  *To = A == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN         ? SharedOptin
        : A == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT                    ? Sms
        : A == CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM ? 1
                                                                           : 0;
  return CUDA_SUCCESS;
}

/// Kernels access registered memory at another address; pools belong to device 3.
static CUresult fakePointerGetAttribute(void *To, CUpointer_attribute A, CUdeviceptr Pointer) {
  DRIVER(cuPointerGetAttribute)
  if (A == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(To) = 3;
  else
    *static_cast<CUdeviceptr *>(To) = Pointer + 0x1000'0000;
  return CUDA_SUCCESS;
}

static CUresult fakeKernelGetFunction(CUfunction *To, CUkernel Handle) {
  DRIVER(cuKernelGetFunction)
  const LibraryKernel *Found = libraryKernel(Handle);
  if (!Found)
    return CUDA_ERROR_INVALID_HANDLE;
  *To = reinterpret_cast<CUfunction>(Found->Is);
  return CUDA_SUCCESS;
}

static CUresult fakeKernelGetLibrary(CUlibrary *To, CUkernel Handle) {
  DRIVER(cuKernelGetLibrary)
  const LibraryKernel *Found = libraryKernel(Handle);
  if (!Found)
    return CUDA_ERROR_INVALID_HANDLE;
  *To = Found->Of;
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetName(const char **Name, CUfunction F) {
  DRIVER(cuFuncGetName)
  *Name = function(F)->Name.c_str();
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetModule(CUmodule *To, CUfunction F) {
  DRIVER(cuFuncGetModule)
  *To = reinterpret_cast<CUmodule>(function(F)->In);
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetAttribute(int *To, CUfunction_attribute A, CUfunction F) {
  DRIVER(cuFuncGetAttribute)
  *To = function(F)->Attributes[A];
  return CUDA_SUCCESS;
}

static CUresult fakeFuncSetAttribute(CUfunction F, CUfunction_attribute A, int Value) {
  DRIVER(cuFuncSetAttribute)
  function(F)->Attributes[A] = Value;
  return CUDA_SUCCESS;
}

static CUresult fakeFuncSetCacheConfig(CUfunction F, CUfunc_cache Config) {
  DRIVER(cuFuncSetCacheConfig)
  function(F)->CacheConfig = Config;
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetParamInfo(CUfunction F, size_t Index, size_t *Offset, size_t *Bytes) {
  DRIVER(cuFuncGetParamInfo)
  if (Index >= function(F)->Params.size())
    return CUDA_ERROR_INVALID_VALUE;
  constexpr size_t Alignment = 8; // of all
  *Offset = 0;
  for (size_t I = 0; I < Index; ++I)
    *Offset += (function(F)->Params[I] + Alignment - 1) / Alignment * Alignment;
  *Bytes = function(F)->Params[Index];
  return CUDA_SUCCESS;
}

static CUresult fakeModuleGetFunction(CUfunction *To, CUmodule M, const char *Name) {
  DRIVER(cuModuleGetFunction)
  for (auto &F : reinterpret_cast<Module *>(M)->Functions)
    if (F->Name == Name) {
      *To = reinterpret_cast<CUfunction>(F.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

static CUresult fakeModuleGetGlobal(CUdeviceptr *To, size_t *Bytes, CUmodule M, const char *Name) {
  DRIVER(cuModuleGetGlobal)
  auto &Globals = reinterpret_cast<Module *>(M)->Globals;
  auto It = Globals.find(Name);
  if (It == Globals.end())
    return CUDA_ERROR_NOT_FOUND;
  *To = reinterpret_cast<CUdeviceptr>(It->second.data());
  *Bytes = It->second.size();
  return CUDA_SUCCESS;
}

static CUresult fakeLaunchKernelEx(const CUlaunchConfig *C, CUfunction F, void **Args, void **) {
  DRIVER(cuLaunchKernelEx)
  if (!Current)
    return CUDA_ERROR_INVALID_CONTEXT;
  const LibraryKernel *Handle = libraryKernel(F);
  Launch L = makeLaunch(
      Handle ? Handle->Is : function(F), dim3(C->gridDimX, C->gridDimY, C->gridDimZ),
      dim3(C->blockDimX, C->blockDimY, C->blockDimZ), Args, C->sharedMemBytes, C->hStream, false);
  L.Attributes.assign(C->attrs, C->attrs + C->numAttrs);
  return static_cast<CUresult>(submit(std::move(L)));
}

static CUresult fakeOccupancy(int *Blocks, CUfunction, int, size_t) {
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  *Blocks = BlocksPerSm;
  return CUDA_SUCCESS;
}

static CUresult fakeMemAlloc(CUdeviceptr *To, size_t Bytes) {
  DRIVER(cuMemAlloc, true)
  void *Memory = std::aligned_alloc(512, (Bytes + 511) / 512 * 512);
  std::memset(Memory, 0xa5, Bytes); // as device memory is: not zero
  S->Memory[Memory] = Bytes;
  S->Bytes += Bytes;
  *To = reinterpret_cast<CUdeviceptr>(Memory);
  return CUDA_SUCCESS;
}

static CUresult fakeMemAllocHost(void **To, size_t Bytes) {
  DRIVER(cuMemAllocHost, true)
  *To = std::malloc(Bytes);
  S->Memory[*To] = 0;
  return CUDA_SUCCESS;
}

static CUresult fakeMemHostRegister(void *, size_t, unsigned) {
  DRIVER(cuMemHostRegister, true)
  return CUDA_SUCCESS;
}

static CUresult fakeMemFree(CUdeviceptr Address) {
  DRIVER(cuMemFree, true)
  auto *Memory = reinterpret_cast<void *>(Address);
  auto It = S->Memory.find(Memory);
  if (It == S->Memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  S->Bytes -= It->second;
  std::free(Memory);
  S->Memory.erase(It);
  return CUDA_SUCCESS;
}

static CUresult fakeMemGetInfo(size_t *Free, size_t *Total) {
  DRIVER(cuMemGetInfo)
  *Free = S->Total - std::min(S->Total, S->Bytes);
  *Total = S->Total;
  return CUDA_SUCCESS;
}

static CUresult fakeMemcpyHtoDAsync(CUdeviceptr To, const void *From, size_t Bytes,
                                    CUstream Handle) {
  DRIVER(cuMemcpyHtoDAsync)
  enqueue(Handle, [=] { std::memcpy(reinterpret_cast<void *>(To), From, Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeMemcpyDtoHAsync(void *To, CUdeviceptr From, size_t Bytes, CUstream Handle) {
  DRIVER(cuMemcpyDtoHAsync)
  enqueue(Handle, [=] { std::memcpy(To, reinterpret_cast<void *>(From), Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeMemsetD8Async(CUdeviceptr To, unsigned char Value, size_t Bytes,
                                  CUstream Handle) {
  DRIVER(cuMemsetD8Async)
  enqueue(Handle, [=] { std::memset(reinterpret_cast<void *>(To), Value, Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeExchangeMode(CUstreamCaptureMode *To) {
  DRIVER(cuThreadExchangeStreamCaptureMode)
  std::swap(*To, Mode);
  return CUDA_SUCCESS;
}

static CUresult fakeStreamCreate(CUstream *To, unsigned) {
  DRIVER(cuStreamCreate, true)
  static uintptr_t Next = 0x10000;
  *To = reinterpret_cast<CUstream>(Next += 16);
  stream(*To).OfProgram = false;
  return CUDA_SUCCESS;
}

static CUresult fakeStreamSynchronize(CUstream Handle) {
  DRIVER(cuStreamSynchronize, true)
  Stream &Waited = stream(Handle);
  Waited.Held = false;
  release(Handle);
  return CUDA_SUCCESS;
}

static CUresult fakeStreamIsCapturing(CUstream Handle, CUstreamCaptureStatus *To) {
  DRIVER(cuStreamIsCapturing)
  *To = stream(Handle).Capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

static CUresult fakeStreamWaitEvent(CUstream Handle, CUevent, unsigned) {
  DRIVER(cuStreamWaitEvent)
  if (stream(Handle).Capture)
    stream(Handle).Capture->Nodes.push_back(std::make_unique<Node>(Node{{}, {}, false, nullptr}));
  return CUDA_SUCCESS;
}

static CUresult fakeEventCreate(CUevent *To, unsigned) {
  DRIVER(cuEventCreate)
  *To = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}

static CUresult fakeEventRecord(CUevent E, CUstream Handle) {
  DRIVER(cuEventRecord)
  if (stream(Handle).Capture) {
    ++S->Violations;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  uint64_t Number = ++event(E)->Recorded;
  enqueue(Handle, [=] { event(E)->Passed = Number; });
  return CUDA_SUCCESS;
}

static CUresult fakeEventQuery(CUevent E) {
  DRIVER(cuEventQuery, true)
  return event(E)->Passed == event(E)->Recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult fakeEventElapsedTime(float *Milliseconds, CUevent From, CUevent To) {
  DRIVER(cuEventElapsedTime)
  *Milliseconds = fake::ElapsedMilliseconds;
  return CUDA_SUCCESS;
}

static CUresult fakeGraphKernelNodeGetParams(CUgraphNode N, CUDA_KERNEL_NODE_PARAMS *To) {
  DRIVER(cuGraphKernelNodeGetParams)
  Node &From = *node(N);
  *To = {};
  To->func = reinterpret_cast<CUfunction>(From.Kernel.What);
  To->gridDimX = From.Kernel.Grid.x;
  To->gridDimY = From.Kernel.Grid.y;
  To->gridDimZ = From.Kernel.Grid.z;
  To->blockDimX = From.Kernel.Block.x;
  To->blockDimY = From.Kernel.Block.y;
  To->blockDimZ = From.Kernel.Block.z;
  To->sharedMemBytes = From.Kernel.DynamicShared;
  To->kernelParams = From.Pointers.data();
  return CUDA_SUCCESS;
}

static CUresult fakeGraphKernelNodeSetParams(CUgraphNode N, const CUDA_KERNEL_NODE_PARAMS *P) {
  DRIVER(cuGraphKernelNodeSetParams)
  node(N)->set(nodeLaunch(*P));
  return CUDA_SUCCESS;
}

static CUresult fakeGraphExecKernelNodeSetParams(CUgraphExec E, CUgraphNode N,
                                                 const CUDA_KERNEL_NODE_PARAMS *P) {
  DRIVER(cuGraphExecKernelNodeSetParams)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    if (Of == node(N))
      Kernel = nodeLaunch(*P);
  return CUDA_SUCCESS;
}

template <typename F> static void *address(F *Function) {
  return reinterpret_cast<void *>(Function);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *Name, void **To, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult *Status) {
  RUNTIME(cudaGetDriverEntryPointByVersion)
  static const std::map<std::string, void *> Functions = {
      {"cuCtxGetCurrent", address(fakeCtxGetCurrent)},
      {"cuCtxPushCurrent", address(fakeCtxPushCurrent)},
      {"cuCtxPopCurrent", address(fakeCtxPopCurrent)},
      {"cuCtxGetDevice", address(fakeCtxGetDevice)},
      {"cuDeviceGetName", address(fakeDeviceGetName)},
      {"cuDeviceGetAttribute", address(fakeDeviceGetAttribute)},
      {"cuPointerGetAttribute", address(fakePointerGetAttribute)},
      {"cuKernelGetFunction", address(fakeKernelGetFunction)},
      {"cuKernelGetLibrary", address(fakeKernelGetLibrary)},
      {"cuFuncGetName", address(fakeFuncGetName)},
      {"cuFuncGetModule", address(fakeFuncGetModule)},
      {"cuFuncGetAttribute", address(fakeFuncGetAttribute)},
      {"cuFuncSetAttribute", address(fakeFuncSetAttribute)},
      {"cuFuncSetCacheConfig", address(fakeFuncSetCacheConfig)},
      {"cuFuncGetParamInfo", address(fakeFuncGetParamInfo)},
      {"cuModuleGetFunction", address(fakeModuleGetFunction)},
      {"cuModuleGetGlobal", address(fakeModuleGetGlobal)},
      {"cuLaunchKernelEx", address(fakeLaunchKernelEx)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address(fakeOccupancy)},
      {"cuMemAlloc", address(fakeMemAlloc)},
      {"cuMemAllocHost", address(fakeMemAllocHost)},
      {"cuMemHostRegister", address(fakeMemHostRegister)},
      {"cuMemFree", address(fakeMemFree)},
      {"cuMemGetInfo", address(fakeMemGetInfo)},
      {"cuMemcpyHtoDAsync", address(fakeMemcpyHtoDAsync)},
      {"cuMemcpyDtoHAsync", address(fakeMemcpyDtoHAsync)},
      {"cuMemsetD8Async", address(fakeMemsetD8Async)},
      {"cuThreadExchangeStreamCaptureMode", address(fakeExchangeMode)},
      {"cuStreamCreate", address(fakeStreamCreate)},
      {"cuStreamSynchronize", address(fakeStreamSynchronize)},
      {"cuStreamIsCapturing", address(fakeStreamIsCapturing)},
      {"cuStreamWaitEvent", address(fakeStreamWaitEvent)},
      {"cuEventCreate", address(fakeEventCreate)},
      {"cuEventRecord", address(fakeEventRecord)},
      {"cuEventQuery", address(fakeEventQuery)},
      {"cuEventElapsedTime", address(fakeEventElapsedTime)},
      // The driver's are the same.
      {"cuStreamGetCaptureInfo", address(cudaStreamGetCaptureInfo)},
      {"cuGraphGetNodes", address(cudaGraphGetNodes)},
      {"cuGraphGetEdges", address(cudaGraphGetEdges)},
      {"cuGraphNodeGetType", address(cudaGraphNodeGetType)},
      {"cuGraphChildGraphNodeGetGraph", address(cudaGraphChildGraphNodeGetGraph)},
      {"cuGraphKernelNodeGetParams", address(fakeGraphKernelNodeGetParams)},
      {"cuGraphKernelNodeSetParams", address(fakeGraphKernelNodeSetParams)},
      {"cuGraphExecKernelNodeSetParams", address(fakeGraphExecKernelNodeSetParams)},
  };
  auto It = Functions.find(Name);
  bool Found = It != Functions.end() && !S->Removed.count(Name);
  // Like CUDA: success and a null pointer if the function does not exist.
  *To = Found ? It->second : nullptr;
  *Status = Found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
