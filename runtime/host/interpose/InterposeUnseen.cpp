//===- InterposeUnseen.cpp - Calls that are only counted ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes calls whose effects GMProf does not record: memory of other processes and other APIs,
// changes of executable graphs, and streams that wait for values in memory or for other APIs. The
// coverage of the report contains their number.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/FunctionRef.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"

using namespace gmprof::host;

namespace {

cudaError_t count(const char *What, const std::string &Why, FunctionRef<cudaError_t()> Plain) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  cudaError_t Error = Plain();
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr)
    S->log().gap(What, Why, 1);
  return Error;
}

/// Counts memory whose accesses will be outside of all known objects.
cudaError_t memory(const char *Api, FunctionRef<cudaError_t()> Plain) {
  return count("objects", std::string("memory that ") + Api + " gives is not recorded", Plain);
}

/// Counts changes of nodes that the log does not contain.
cudaError_t node(const char *Api, FunctionRef<cudaError_t()> Plain) {
  return count("graph nodes", std::string("they were changed by ") + Api, Plain);
}

} // namespace

//===----------------------------------------------------------------------===//
// Memory of other processes and APIs
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaIpcOpenMemHandle(void **Pointer, cudaIpcMemHandle_t Handle,
                                                  unsigned Flags) {
  return memory("cudaIpcOpenMemHandle",
                [&] { return GMPROF_REAL(cudaIpcOpenMemHandle, Pointer, Handle, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaExternalMemoryGetMappedBuffer(
    void **Pointer, cudaExternalMemory_t Memory, const cudaExternalMemoryBufferDesc *Which) {
  return memory("cudaExternalMemoryGetMappedBuffer", [&] {
    return GMPROF_REAL(cudaExternalMemoryGetMappedBuffer, Pointer, Memory, Which);
  });
}

GMPROF_INTERPOSE cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *Array, cudaExternalMemory_t Memory,
                                          const cudaExternalMemoryMipmappedArrayDesc *Which) {
  return memory("cudaExternalMemoryGetMappedMipmappedArray", [&] {
    return GMPROF_REAL(cudaExternalMemoryGetMappedMipmappedArray, Array, Memory, Which);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphicsResourceGetMappedPointer(void **Pointer, size_t *Bytes,
                                                                  cudaGraphicsResource_t Resource) {
  return memory("cudaGraphicsResourceGetMappedPointer", [&] {
    return GMPROF_REAL(cudaGraphicsResourceGetMappedPointer, Pointer, Bytes, Resource);
  });
}

GMPROF_INTERPOSE cudaError_t cudaMemPoolImportPointer(void **Pointer, cudaMemPool_t Pool,
                                                      cudaMemPoolPtrExportData *Data) {
  return memory("cudaMemPoolImportPointer",
                [&] { return GMPROF_REAL(cudaMemPoolImportPointer, Pointer, Pool, Data); });
}

//===----------------------------------------------------------------------===//
// Nodes of executable graphs
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec,
                                                              cudaGraphNode_t Node,
                                                              const cudaMemcpy3DParms *Params) {
  return node("cudaGraphExecMemcpyNodeSetParams",
              [&] { return GMPROF_REAL(cudaGraphExecMemcpyNodeSetParams, Exec, Node, Params); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec,
                                                                cudaGraphNode_t Node, void *To,
                                                                const void *From, size_t Bytes,
                                                                cudaMemcpyKind Kind) {
  return node("cudaGraphExecMemcpyNodeSetParams1D", [&] {
    return GMPROF_REAL(cudaGraphExecMemcpyNodeSetParams1D, Exec, Node, To, From, Bytes, Kind);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, void *To, const void *Symbol, size_t Bytes,
    size_t Offset, cudaMemcpyKind Kind) {
  return node("cudaGraphExecMemcpyNodeSetParamsFromSymbol", [&] {
    return GMPROF_REAL(cudaGraphExecMemcpyNodeSetParamsFromSymbol, Exec, Node, To, Symbol, Bytes,
                       Offset, Kind);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const void *Symbol, const void *From, size_t Bytes,
    size_t Offset, cudaMemcpyKind Kind) {
  return node("cudaGraphExecMemcpyNodeSetParamsToSymbol", [&] {
    return GMPROF_REAL(cudaGraphExecMemcpyNodeSetParamsToSymbol, Exec, Node, Symbol, From, Bytes,
                       Offset, Kind);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec,
                                                              cudaGraphNode_t Node,
                                                              const cudaMemsetParams *Params) {
  return node("cudaGraphExecMemsetNodeSetParams",
              [&] { return GMPROF_REAL(cudaGraphExecMemsetNodeSetParams, Exec, Node, Params); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t Exec,
                                                                  cudaGraphNode_t Node,
                                                                  cudaGraph_t Child) {
  return node("cudaGraphExecChildGraphNodeSetParams",
              [&] { return GMPROF_REAL(cudaGraphExecChildGraphNodeSetParams, Exec, Node, Child); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                     unsigned Enabled) {
  return node("cudaGraphNodeSetEnabled",
              [&] { return GMPROF_REAL(cudaGraphNodeSetEnabled, Exec, Node, Enabled); });
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

#define GMPROF_UNWRAP(...) __VA_ARGS__
#define GMPROF_DRIVER_COUNTED(name, parameters, arguments, what, why)                              \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(                                                                  \
        count(what, why, [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); }));      \
  }
#define GMPROF_DRIVER_COUNTED_BOTH(name, parameters, arguments, what, why)                         \
  GMPROF_DRIVER_COUNTED(name, parameters, arguments, what, why)                                    \
  GMPROF_DRIVER_COUNTED(name##_ptsz, parameters, arguments, what, why)
#define GMPROF_DRIVER_MEMORY(name, parameters, arguments)                                          \
  GMPROF_DRIVER_COUNTED(name, parameters, arguments, "objects",                                    \
                        std::string("memory that ") + nameOf(DriverHook::name) +                   \
                            " gives is not recorded")

#define GMPROF_DRIVER_OPEN_HANDLE(name)                                                            \
  GMPROF_DRIVER_MEMORY(name, (CUdeviceptr * Address, CUipcMemHandle Handle, unsigned Flags),       \
                       (Address, Handle, Flags))
GMPROF_DRIVER_OPEN_HANDLE(cuIpcOpenMemHandle_v1)
GMPROF_DRIVER_OPEN_HANDLE(cuIpcOpenMemHandle_v2)
GMPROF_DRIVER_MEMORY(cuExternalMemoryGetMappedBuffer,
                     (CUdeviceptr * Address, CUexternalMemory Memory,
                      const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *Which),
                     (Address, Memory, Which))
GMPROF_DRIVER_MEMORY(cuExternalMemoryGetMappedMipmappedArray,
                     (CUmipmappedArray * Array, CUexternalMemory Memory,
                      const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *Which),
                     (Array, Memory, Which))
GMPROF_DRIVER_MEMORY(cuGraphicsResourceGetMappedPointer_v2,
                     (CUdeviceptr * Address, size_t *Bytes, CUgraphicsResource Resource),
                     (Address, Bytes, Resource))
GMPROF_DRIVER_MEMORY(cuMemPoolImportPointer,
                     (CUdeviceptr * Address, CUmemoryPool Pool, CUmemPoolPtrExportData *Data),
                     (Address, Pool, Data))

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
GMPROF_DRIVER_COUNTED(cuCtxDetach, (CUcontext Context), (Context), "releases",
                      "whether cuCtxDetach released a context's memory is not known")
#pragma clang diagnostic pop

#define GMPROF_DRIVER_NODE(name, parameters, arguments)                                            \
  GMPROF_DRIVER_COUNTED(name, parameters, arguments, "graph nodes", "they were changed by " #name)
GMPROF_DRIVER_NODE(cuGraphExecMemcpyNodeSetParams,
                   (CUgraphExec Exec, CUgraphNode Node, const CUDA_MEMCPY3D *Params, CUcontext In),
                   (Exec, Node, Params, In))
GMPROF_DRIVER_NODE(cuGraphExecMemsetNodeSetParams,
                   (CUgraphExec Exec, CUgraphNode Node, const CUDA_MEMSET_NODE_PARAMS *Params,
                    CUcontext In),
                   (Exec, Node, Params, In))
GMPROF_DRIVER_NODE(cuGraphExecChildGraphNodeSetParams,
                   (CUgraphExec Exec, CUgraphNode Node, CUgraph Child), (Exec, Node, Child))
GMPROF_DRIVER_NODE(cuGraphExecBatchMemOpNodeSetParams,
                   (CUgraphExec Exec, CUgraphNode Node,
                    const CUDA_BATCH_MEM_OP_NODE_PARAMS *Params),
                   (Exec, Node, Params))
GMPROF_DRIVER_NODE(cuGraphNodeSetEnabled, (CUgraphExec Exec, CUgraphNode Node, unsigned Enabled),
                   (Exec, Node, Enabled))
GMPROF_DRIVER_COUNTED(cuGraphAddBatchMemOpNode,
                      (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,
                       size_t Count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *Params),
                      (Node, Graph, Dependencies, Count, Params), "graph nodes",
                      "what cuGraphAddBatchMemOpNode adds is not recorded")

GMPROF_DRIVER_MEMORY(cuMulticastBindMem,
                     (CUmemGenericAllocationHandle Multicast, size_t Offset,
                      CUmemGenericAllocationHandle Memory, size_t MemoryOffset, size_t Bytes,
                      unsigned long long Flags),
                     (Multicast, Offset, Memory, MemoryOffset, Bytes, Flags))
GMPROF_DRIVER_MEMORY(cuMulticastBindAddr,
                     (CUmemGenericAllocationHandle Multicast, size_t Offset, CUdeviceptr Memory,
                      size_t Bytes, unsigned long long Flags),
                     (Multicast, Offset, Memory, Bytes, Flags))
GMPROF_DRIVER_COUNTED_BOTH(cuMemMapArrayAsync,
                           (CUarrayMapInfo * Maps, unsigned Count, CUstream Stream),
                           (Maps, Count, Stream), "objects",
                           "memory that cuMemMapArrayAsync gives to arrays is not recorded")

// The log lacks this order of streams.
#define GMPROF_DRIVER_STREAM_ORDER(name, parameters, arguments)                                    \
  GMPROF_DRIVER_COUNTED(name, parameters, arguments, "orders of streams",                          \
                        std::string("what waits by ") + nameOf(DriverHook::name) +                 \
                            " is not recorded")
#define GMPROF_DRIVER_WAIT_VALUE(name, type)                                                       \
  GMPROF_DRIVER_STREAM_ORDER(name,                                                                 \
                             (CUstream Stream, CUdeviceptr Address, type Value, unsigned Flags),   \
                             (Stream, Address, Value, Flags))
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue32_v1, cuuint32_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue32_v1_ptsz, cuuint32_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue32_v2, cuuint32_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue32_v2_ptsz, cuuint32_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue64_v1, cuuint64_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue64_v1_ptsz, cuuint64_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue64_v2, cuuint64_t)
GMPROF_DRIVER_WAIT_VALUE(cuStreamWaitValue64_v2_ptsz, cuuint64_t)
#define GMPROF_SEMAPHORES(name, driverName, type, driverType)                                      \
  GMPROF_SEMAPHORES_OF_RUNTIME(name, name, type)                                                   \
  GMPROF_SEMAPHORES_OF_RUNTIME(name, name##_ptsz, type)                                            \
  GMPROF_DRIVER_STREAM_ORDER(driverName,                                                           \
                             (const CUexternalSemaphore *Semaphores, const driverType *Params,     \
                              unsigned Count, CUstream Stream),                                    \
                             (Semaphores, Params, Count, Stream))                                  \
  GMPROF_DRIVER_STREAM_ORDER(driverName##_ptsz,                                                    \
                             (const CUexternalSemaphore *Semaphores, const driverType *Params,     \
                              unsigned Count, CUstream Stream),                                    \
                             (Semaphores, Params, Count, Stream))
#define GMPROF_SEMAPHORES_OF_RUNTIME(api, name, type)                                              \
  GMPROF_INTERPOSE cudaError_t name(const cudaExternalSemaphore_t *Semaphores, const type *Params, \
                                    unsigned Count, cudaStream_t Stream) {                         \
    return count("orders of streams", "what waits by " #api " is not recorded",                    \
                 [&] { return GMPROF_REAL(name, Semaphores, Params, Count, Stream); });            \
  }
GMPROF_SEMAPHORES(cudaSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync,
                  cudaExternalSemaphoreSignalParams, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS)
GMPROF_SEMAPHORES(cudaWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,
                  cudaExternalSemaphoreWaitParams, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS)

// Operations on all streams of a context.
GMPROF_DRIVER_STREAM_ORDER(cuCtxRecordEvent, (CUcontext Context, CUevent Event), (Context, Event))
GMPROF_DRIVER_STREAM_ORDER(cuCtxWaitEvent, (CUcontext Context, CUevent Event), (Context, Event))
GMPROF_DRIVER_STREAM_ORDER(cuGreenCtxRecordEvent, (CUgreenCtx Context, CUevent Event),
                           (Context, Event))
GMPROF_DRIVER_STREAM_ORDER(cuGreenCtxWaitEvent, (CUgreenCtx Context, CUevent Event),
                           (Context, Event))
