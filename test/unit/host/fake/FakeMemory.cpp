//===- FakeMemory.cpp - The program's memory, copies and events -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "host/core/RuntimeApi.h"
#include <cstring>

using namespace fake;

//===----------------------------------------------------------------------===//
// Memory of the program
//===----------------------------------------------------------------------===//

static cudaError_t allocate(void *To, size_t Bytes) {
  uint64_t Address = Bytes == 0 ? 0 : S->NextAllocation;
  std::memcpy(To, &Address, sizeof(Address));
  if (Address != 0)
    S->OfProgram.insert(Address);
  S->NextAllocation += (Bytes + 255) / 256 * 256;
  return cudaSuccess;
}

static cudaError_t release(const void *Pointer) {
  if (!Pointer || S->OfProgram.erase(reinterpret_cast<uint64_t>(Pointer)) != 0)
    return cudaSuccess;
  return runtimeResult(cudaErrorInvalidValue);
}

#define FAKE_ALLOCATION(name, bytes, ...)                                                          \
  EXPORT cudaError_t name(__VA_ARGS__) {                                                           \
    RUNTIME(name)                                                                                  \
    return allocate(To, bytes);                                                                    \
  }
#define FAKE_RELEASE(name, ...)                                                                    \
  EXPORT cudaError_t name(__VA_ARGS__) {                                                           \
    RUNTIME(name)                                                                                  \
    return release(Pointer);                                                                       \
  }

FAKE_ALLOCATION(cudaMalloc, Bytes, void **To, size_t Bytes)
FAKE_ALLOCATION(cudaMallocManaged, Bytes, void **To, size_t Bytes, unsigned)
FAKE_ALLOCATION(cudaMallocHost, Bytes, void **To, size_t Bytes)
FAKE_ALLOCATION(cudaHostAlloc, Bytes, void **To, size_t Bytes, unsigned)
FAKE_ALLOCATION(cudaMallocAsync, Bytes, void **To, size_t Bytes, cudaStream_t)
FAKE_ALLOCATION(cudaMallocAsync_ptsz, Bytes, void **To, size_t Bytes, cudaStream_t)
FAKE_ALLOCATION(cudaMallocFromPoolAsync, Bytes, void **To, size_t Bytes, cudaMemPool_t,
                cudaStream_t)
FAKE_ALLOCATION(cudaMallocFromPoolAsync_ptsz, Bytes, void **To, size_t Bytes, cudaMemPool_t,
                cudaStream_t)
FAKE_ALLOCATION(cudaMallocArray, 1, cudaArray_t *To, const cudaChannelFormatDesc *, size_t, size_t,
                unsigned)
FAKE_ALLOCATION(cudaMalloc3DArray, 1, cudaArray_t *To, const cudaChannelFormatDesc *, cudaExtent,
                unsigned)
FAKE_ALLOCATION(cudaMallocMipmappedArray, 1, cudaMipmappedArray_t *To,
                const cudaChannelFormatDesc *, cudaExtent, unsigned, unsigned)
EXPORT cudaError_t cudaFree(void *Pointer) {
  RUNTIME(cudaFree)
  Current = Current ? Current : PrimaryContext; // as each call of the runtime does
  return release(Pointer);
}
FAKE_RELEASE(cudaFreeHost, void *Pointer)
FAKE_RELEASE(cudaHostUnregister, void *Pointer)
FAKE_RELEASE(cudaFreeAsync, void *Pointer, cudaStream_t)
FAKE_RELEASE(cudaFreeAsync_ptsz, void *Pointer, cudaStream_t)
FAKE_RELEASE(cudaFreeArray, cudaArray_t Pointer)
FAKE_RELEASE(cudaFreeMipmappedArray, cudaMipmappedArray_t Pointer)

EXPORT cudaError_t cudaMallocPitch(void **To, size_t *Pitch, size_t Width, size_t Height) {
  RUNTIME(cudaMallocPitch)
  *Pitch = (Width + 511) / 512 * 512;
  return allocate(To, *Pitch * Height);
}

EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr *To, cudaExtent Extent) {
  RUNTIME(cudaMalloc3D)
  To->pitch = (Extent.width + 511) / 512 * 512;
  return allocate(&To->ptr, To->pitch * Extent.height * Extent.depth);
}

EXPORT cudaError_t cudaHostRegister(void *Pointer, size_t, unsigned) {
  RUNTIME(cudaHostRegister)
  S->OfProgram.insert(reinterpret_cast<uint64_t>(Pointer));
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                            size_t, cudaMemAllocNodeParams *Params) {
  RUNTIME(cudaGraphAddMemAllocNode)
  return allocate(&Params->dptr, Params->bytesize);
}

EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                           size_t, void *Pointer) {
  RUNTIME(cudaGraphAddMemFreeNode)
  return release(Pointer);
}

//===----------------------------------------------------------------------===//
// Copies, streams and events: there is nothing behind them
//===----------------------------------------------------------------------===//

/// Whatever its arguments are.
#define FAKE_SUCCESS(name)                                                                         \
  EXPORT cudaError_t fake_##name() __asm__(#name);                                                 \
  cudaError_t fake_##name() {                                                                      \
    RUNTIME(name)                                                                                  \
    return cudaSuccess;                                                                            \
  }
#define FAKE_PTDS(name) FAKE_SUCCESS(name##_ptds)
#define FAKE_PTSZ(name) FAKE_SUCCESS(name##_ptsz)

GMPROF_HOST_TRANSFERS(FAKE_SUCCESS)
GMPROF_HOST_TRANSFERS(FAKE_PTDS)
GMPROF_STREAM_TRANSFERS(FAKE_SUCCESS)
GMPROF_STREAM_TRANSFERS(FAKE_PTSZ)
FAKE_SUCCESS(cudaMemcpyPeer)
FAKE_SUCCESS(cudaMemcpyPeerAsync)
FAKE_SUCCESS(cudaMemcpy3DBatchAsync)
FAKE_SUCCESS(cudaStreamSynchronize_ptsz)
FAKE_SUCCESS(cudaStreamWaitEvent)
FAKE_SUCCESS(cudaStreamWaitEvent_ptsz)
FAKE_SUCCESS(cudaEventRecord)
FAKE_SUCCESS(cudaEventRecord_ptsz)
FAKE_SUCCESS(cudaEventRecordWithFlags)
FAKE_SUCCESS(cudaEventRecordWithFlags_ptsz)
FAKE_SUCCESS(cudaEventDestroy)
FAKE_SUCCESS(cudaEventSynchronize)
FAKE_SUCCESS(cudaGraphDestroy)

static cudaError_t createStream(cudaStream_t *To) {
  static uint64_t Last = 0xf000;
  *To = reinterpret_cast<cudaStream_t>(Last += 16);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *To) {
  RUNTIME(cudaStreamCreate)
  return createStream(To);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *To, unsigned) {
  RUNTIME(cudaStreamCreateWithFlags)
  return createStream(To);
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *To, unsigned, int) {
  RUNTIME(cudaStreamCreateWithPriority)
  return createStream(To);
}

/// Variables have 64 bytes.
EXPORT cudaError_t cudaGetSymbolAddress(void **To, const void *Symbol) {
  RUNTIME(cudaGetSymbolAddress)
  *To = const_cast<char *>(static_cast<const char *>(Symbol)) + 0x2000'0000;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *To, const void *) {
  RUNTIME(cudaGetSymbolSize)
  *To = 64;
  return cudaSuccess;
}

/// Arrays contain floats.
EXPORT cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *To, cudaExtent *, unsigned *,
                                    cudaArray_t) {
  RUNTIME(cudaArrayGetInfo)
  *To = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  return cudaSuccess;
}
