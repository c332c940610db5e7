//===- RuntimeApi.h - The real libcudart behind the interposed functions -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libgmprof.so defines functions of libcudart and reaches the real ones as the
// next definition in load order, or, where the program loaded libcudart with
// RTLD_LOCAL, in that library itself.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_RUNTIMEAPI_H
#define GMPROF_HOST_CORE_RUNTIMEAPI_H

#include <cuda_runtime_api.h>

/// Copies and sets in the order of the default stream; each has a _ptds form.
#define GMPROF_HOST_TRANSFERS(X)                                                                   \
  X(cudaMemcpy)                                                                                    \
  X(cudaMemcpy2D)                                                                                  \
  X(cudaMemcpy3D)                                                                                  \
  X(cudaMemcpy3DPeer)                                                                              \
  X(cudaMemcpyToSymbol)                                                                            \
  X(cudaMemcpyFromSymbol)                                                                          \
  X(cudaMemcpyToArray)                                                                             \
  X(cudaMemcpyFromArray)                                                                           \
  X(cudaMemcpyArrayToArray)                                                                        \
  X(cudaMemcpy2DToArray)                                                                           \
  X(cudaMemcpy2DFromArray)                                                                         \
  X(cudaMemcpy2DArrayToArray)                                                                      \
  X(cudaMemset)                                                                                    \
  X(cudaMemset2D)                                                                                  \
  X(cudaMemset3D)

/// Transfers in the order of a stream; each has a _ptsz form.
#define GMPROF_STREAM_TRANSFERS(X)                                                                 \
  X(cudaMemcpyAsync)                                                                               \
  X(cudaMemcpy2DAsync)                                                                             \
  X(cudaMemcpy3DAsync)                                                                             \
  X(cudaMemcpy3DPeerAsync)                                                                         \
  X(cudaMemcpyToSymbolAsync)                                                                       \
  X(cudaMemcpyFromSymbolAsync)                                                                     \
  X(cudaMemcpyToArrayAsync)                                                                        \
  X(cudaMemcpyFromArrayAsync)                                                                      \
  X(cudaMemcpy2DToArrayAsync)                                                                      \
  X(cudaMemcpy2DFromArrayAsync)                                                                    \
  X(cudaMemcpyBatchAsync)                                                                          \
  X(cudaMemsetAsync)                                                                               \
  X(cudaMemset2DAsync)                                                                             \
  X(cudaMemset3DAsync)

// Programs still use what is deprecated.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
extern "C" {
#define GMPROF_DECLARE(name) decltype(name) name##_ptds;
GMPROF_HOST_TRANSFERS(GMPROF_DECLARE)
#undef GMPROF_DECLARE
#define GMPROF_DECLARE(name) decltype(name) name##_ptsz;
GMPROF_STREAM_TRANSFERS(GMPROF_DECLARE)
#undef GMPROF_DECLARE
decltype(cudaGetDriverEntryPoint) cudaGetDriverEntryPoint_ptsz;
}
#pragma clang diagnostic pop

extern "C" {
// Declared by CUDA's headers only for code that is compiled for per-thread
// default streams, or by nvcc.
decltype(cudaLaunchKernel) cudaLaunchKernel_ptsz;
decltype(cudaLaunchKernelExC) cudaLaunchKernelExC_ptsz;
decltype(cudaLaunchCooperativeKernel) cudaLaunchCooperativeKernel_ptsz;
decltype(cudaGraphLaunch) cudaGraphLaunch_ptsz;
decltype(cudaGraphInstantiateWithParams) cudaGraphInstantiateWithParams_ptsz;
decltype(cudaStreamSynchronize) cudaStreamSynchronize_ptsz;
decltype(cudaStreamQuery) cudaStreamQuery_ptsz;
decltype(cudaLaunchHostFunc) cudaLaunchHostFunc_ptsz;
decltype(cudaStreamAddCallback) cudaStreamAddCallback_ptsz;
decltype(cudaStreamWaitEvent) cudaStreamWaitEvent_ptsz;
decltype(cudaEventRecord) cudaEventRecord_ptsz;
decltype(cudaEventRecordWithFlags) cudaEventRecordWithFlags_ptsz;
decltype(cudaMemcpy3DBatchAsync) cudaMemcpy3DBatchAsync_ptsz;
decltype(cudaSignalExternalSemaphoresAsync) cudaSignalExternalSemaphoresAsync_ptsz;
decltype(cudaWaitExternalSemaphoresAsync) cudaWaitExternalSemaphoresAsync_ptsz;
decltype(cudaMallocAsync) cudaMallocAsync_ptsz;
decltype(cudaMallocFromPoolAsync) cudaMallocFromPoolAsync_ptsz;
decltype(cudaFreeAsync) cudaFreeAsync_ptsz;
decltype(cudaGetDriverEntryPointByVersion) cudaGetDriverEntryPointByVersion_ptsz;
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaUnregisterFatBinary(void **);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
}

namespace gmprof::host {

/// Returns the stream that Stream means in programs with per-thread default streams.
inline cudaStream_t perThread(cudaStream_t Stream) { return Stream ? Stream : cudaStreamPerThread; }

/// The functions of libcudart that are interposed or called.
#define GMPROF_RUNTIME_FUNCTIONS(X)                                                                \
  X(cudaLaunchKernel)                                                                              \
  X(cudaLaunchKernel_ptsz)                                                                         \
  X(cudaLaunchKernelExC)                                                                           \
  X(cudaLaunchKernelExC_ptsz)                                                                      \
  X(cudaLaunchCooperativeKernel)                                                                   \
  X(cudaLaunchCooperativeKernel_ptsz)                                                              \
  X(__cudaLaunchKernel)                                                                            \
  X(__cudaLaunchKernel_ptsz)                                                                       \
  X(cudaFuncSetAttribute)                                                                          \
  X(cudaFuncSetCacheConfig)                                                                        \
  X(cudaGraphAddKernelNode)                                                                        \
  X(cudaGraphAddNode)                                                                              \
  X(cudaGraphKernelNodeGetParams)                                                                  \
  X(cudaGraphKernelNodeSetParams)                                                                  \
  X(cudaGraphNodeSetParams)                                                                        \
  X(cudaGraphExecKernelNodeSetParams)                                                              \
  X(cudaGraphExecNodeSetParams)                                                                    \
  X(cudaGraphExecUpdate)                                                                           \
  X(cudaGraphExecDestroy)                                                                          \
  X(cudaGraphInstantiate)                                                                          \
  X(cudaGraphInstantiateWithFlags)                                                                 \
  X(cudaGraphInstantiateWithParams)                                                                \
  X(cudaGraphInstantiateWithParams_ptsz)                                                           \
  X(cudaGraphLaunch)                                                                               \
  X(cudaGraphLaunch_ptsz)                                                                          \
  X(cudaGraphGetNodes)                                                                             \
  X(cudaGraphGetEdges)                                                                             \
  X(cudaGraphMemcpyNodeGetParams)                                                                  \
  X(cudaGraphMemsetNodeGetParams)                                                                  \
  X(cudaGraphMemAllocNodeGetParams)                                                                \
  X(cudaGraphMemFreeNodeGetParams)                                                                 \
  X(cudaGraphDestroy)                                                                              \
  X(cudaStreamGetCaptureInfo)                                                                      \
  X(cudaGraphNodeGetType)                                                                          \
  X(cudaGraphChildGraphNodeGetGraph)                                                               \
  X(cudaDeviceReset)                                                                               \
  X(cudaDeviceSynchronize)                                                                         \
  X(cudaStreamSynchronize)                                                                         \
  X(cudaStreamSynchronize_ptsz)                                                                    \
  X(cudaStreamQuery)                                                                               \
  X(cudaStreamQuery_ptsz)                                                                          \
  X(cudaEventQuery)                                                                                \
  X(cudaLaunchHostFunc)                                                                            \
  X(cudaLaunchHostFunc_ptsz)                                                                       \
  X(cudaStreamAddCallback)                                                                         \
  X(cudaStreamAddCallback_ptsz)                                                                    \
  X(cudaStreamCreate)                                                                              \
  X(cudaStreamCreateWithFlags)                                                                     \
  X(cudaStreamCreateWithPriority)                                                                  \
  X(cudaStreamDestroy)                                                                             \
  X(cudaStreamWaitEvent)                                                                           \
  X(cudaStreamWaitEvent_ptsz)                                                                      \
  X(cudaEventRecord)                                                                               \
  X(cudaEventRecord_ptsz)                                                                          \
  X(cudaEventRecordWithFlags)                                                                      \
  X(cudaEventRecordWithFlags_ptsz)                                                                 \
  X(cudaEventElapsedTime)                                                                          \
  X(cudaEventDestroy)                                                                              \
  X(cudaEventSynchronize)                                                                          \
  X(cudaMemcpyPeer)                                                                                \
  X(cudaMemcpyPeerAsync)                                                                           \
  X(cudaMemcpy3DBatchAsync)                                                                        \
  X(cudaMemcpy3DBatchAsync_ptsz)                                                                   \
  X(cudaArrayGetInfo)                                                                              \
  X(cudaGetSymbolAddress)                                                                          \
  X(cudaGetSymbolSize)                                                                             \
  X(cudaMalloc)                                                                                    \
  X(cudaMallocPitch)                                                                               \
  X(cudaMalloc3D)                                                                                  \
  X(cudaMallocManaged)                                                                             \
  X(cudaMallocHost)                                                                                \
  X(cudaHostAlloc)                                                                                 \
  X(cudaHostRegister)                                                                              \
  X(cudaMallocAsync)                                                                               \
  X(cudaMallocAsync_ptsz)                                                                          \
  X(cudaMallocFromPoolAsync)                                                                       \
  X(cudaMallocFromPoolAsync_ptsz)                                                                  \
  X(cudaMallocArray)                                                                               \
  X(cudaMalloc3DArray)                                                                             \
  X(cudaMallocMipmappedArray)                                                                      \
  X(cudaGraphAddMemAllocNode)                                                                      \
  X(cudaFree)                                                                                      \
  X(cudaFreeHost)                                                                                  \
  X(cudaHostUnregister)                                                                            \
  X(cudaFreeAsync)                                                                                 \
  X(cudaFreeAsync_ptsz)                                                                            \
  X(cudaFreeArray)                                                                                 \
  X(cudaFreeMipmappedArray)                                                                        \
  X(cudaGraphAddMemFreeNode)                                                                       \
  X(cudaCreateTextureObject)                                                                       \
  X(cudaDestroyTextureObject)                                                                      \
  X(cudaCreateSurfaceObject)                                                                       \
  X(cudaDestroySurfaceObject)                                                                      \
  X(cudaIpcOpenMemHandle)                                                                          \
  X(cudaExternalMemoryGetMappedBuffer)                                                             \
  X(cudaExternalMemoryGetMappedMipmappedArray)                                                     \
  X(cudaSignalExternalSemaphoresAsync)                                                             \
  X(cudaSignalExternalSemaphoresAsync_ptsz)                                                        \
  X(cudaWaitExternalSemaphoresAsync)                                                               \
  X(cudaWaitExternalSemaphoresAsync_ptsz)                                                          \
  X(cudaGraphicsResourceGetMappedPointer)                                                          \
  X(cudaMemPoolImportPointer)                                                                      \
  X(cudaGraphExecMemcpyNodeSetParams)                                                              \
  X(cudaGraphExecMemcpyNodeSetParams1D)                                                            \
  X(cudaGraphExecMemcpyNodeSetParamsFromSymbol)                                                    \
  X(cudaGraphExecMemcpyNodeSetParamsToSymbol)                                                      \
  X(cudaGraphExecMemsetNodeSetParams)                                                              \
  X(cudaGraphExecChildGraphNodeSetParams)                                                          \
  X(cudaGraphNodeSetEnabled)                                                                       \
  X(cudaLibraryLoadData)                                                                           \
  X(cudaLibraryLoadFromFile)                                                                       \
  X(cudaLibraryUnload)                                                                             \
  X(__cudaRegisterVar)                                                                             \
  X(__cudaUnregisterFatBinary)                                                                     \
  X(cudaGetDevice)                                                                                 \
  X(cudaGetFuncBySymbol)                                                                           \
  X(cudaGetDriverEntryPoint)                                                                       \
  X(cudaGetDriverEntryPoint_ptsz)                                                                  \
  X(cudaGetDriverEntryPointByVersion_ptsz)                                                         \
  X(cudaGetDriverEntryPointByVersion)                                                              \
  X(cudaPeekAtLastError)                                                                           \
  X(cudaGetLastError)

/// Transfers that have a second form, for per-thread default streams.
#define GMPROF_RUNTIME_TRANSFERS(X)                                                                \
  GMPROF_HOST_TRANSFERS(X)                                                                         \
  GMPROF_HOST_TRANSFERS(GMPROF_PTDS_OF_##X)                                                        \
  GMPROF_STREAM_TRANSFERS(X)                                                                       \
  GMPROF_STREAM_TRANSFERS(GMPROF_PTSZ_OF_##X)

enum class RuntimeFunction {
#define GMPROF_RUNTIME_ENUMERATOR(name) name,
#define GMPROF_PTDS_OF_GMPROF_RUNTIME_ENUMERATOR(name) name##_ptds,
#define GMPROF_PTSZ_OF_GMPROF_RUNTIME_ENUMERATOR(name) name##_ptsz,
  GMPROF_RUNTIME_FUNCTIONS(GMPROF_RUNTIME_ENUMERATOR)
      GMPROF_RUNTIME_TRANSFERS(GMPROF_RUNTIME_ENUMERATOR)
#undef GMPROF_RUNTIME_ENUMERATOR
#undef GMPROF_PTDS_OF_GMPROF_RUNTIME_ENUMERATOR
#undef GMPROF_PTSZ_OF_GMPROF_RUNTIME_ENUMERATOR
};

/// Returns the real function; null if libcudart lacks it or is not loaded.
void *realFunction(RuntimeFunction Function);

/// Calls the real function; cudaErrorNotSupported where there is none.
template <typename Function, typename... Args>
cudaError_t callReal(Function, RuntimeFunction Which, Args... Arguments) {
  auto *Real = reinterpret_cast<Function>(realFunction(Which));
  return Real ? Real(Arguments...) : cudaErrorNotSupported;
}

#define GMPROF_REAL(name, ...)                                                                     \
  ::gmprof::host::callReal(&::name,                                                                \
                           ::gmprof::host::RuntimeFunction::name __VA_OPT__(, ) __VA_ARGS__)

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_RUNTIMEAPI_H
