//===- InterposeDriverTransfers.cpp - Copies and sets of the driver -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes the copies and sets of the driver, as InterposeTransfers.cpp those of libcudart.
//
//===----------------------------------------------------------------------===//

#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/interpose/TransferCalls.h"
#include "host/sync/LateWaits.h"
#include <algorithm>
#include <span>
#include <vector>

using namespace gmprof;
using namespace gmprof::host;

namespace gmprof::host {
namespace {

void *pointer(CUdeviceptr Address) { return reinterpret_cast<void *>(Address); }
void *pointer(const void *Address) { return const_cast<void *>(Address); }

template <typename To, typename From>
Transfer linear(To Target, From Source, uint64_t Bytes, cudaMemcpyKind Kind) {
  return copyOf(pointer(Target), 0, pointer(Source), 0, Bytes, 1, Kind);
}

} // namespace
} // namespace gmprof::host

#define GMPROF_DRIVER_TRANSFER_BY(without, name, stream, parameters, arguments, ...)               \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(transfer(                                                         \
        nameOf(DriverHook::name), GMPROF_CALLER, stream, /*Async=*/false,                          \
        [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); },                         \
        [&] { return without; }, [&] { return __VA_ARGS__; }));                                    \
  }
/// A transfer without a form that waits less.
#define GMPROF_DRIVER_TRANSFER(name, stream, async, parameters, arguments, ...)                    \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(transfer(                                                         \
        nameOf(DriverHook::name), GMPROF_CALLER, stream, async,                                    \
        [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); },                         \
        [&] { return __VA_ARGS__; }));                                                             \
  }

/// Both forms of a function, and the transfer that it makes.
#define GMPROF_DRIVER_HOST_TRANSFER(name, parameters, arguments, ...)                              \
  GMPROF_DRIVER_TRANSFER(name, nullptr, false, parameters, arguments, __VA_ARGS__)                 \
  GMPROF_DRIVER_TRANSFER(name##_ptds, cudaStreamPerThread, false, parameters, arguments,           \
                         __VA_ARGS__)
/// A transfer that waits, whereas the other function does not.
#define GMPROF_DRIVER_WAITING_TRANSFER(name, without, parameters, arguments, ...)                  \
  GMPROF_DRIVER_TRANSFER_BY(                                                                       \
      GMPROF_REAL_DRIVER(without, GMPROF_UNWRAP arguments, CU_STREAM_LEGACY), name, nullptr,       \
      parameters, arguments, __VA_ARGS__)                                                          \
  GMPROF_DRIVER_TRANSFER_BY(                                                                       \
      GMPROF_REAL_DRIVER(without, GMPROF_UNWRAP arguments, CU_STREAM_PER_THREAD), name##_ptds,     \
      cudaStreamPerThread, parameters, arguments, __VA_ARGS__)
#define GMPROF_DRIVER_STREAM_TRANSFER(name, parameters, arguments, ...)                            \
  GMPROF_DRIVER_TRANSFER(name, Stream, true, parameters, arguments, __VA_ARGS__)                   \
  GMPROF_DRIVER_TRANSFER(name##_ptsz, perThread(Stream), true, parameters, arguments, __VA_ARGS__)

GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpy, cuMemcpyAsync,
                               (CUdeviceptr To, CUdeviceptr From, size_t Bytes), (To, From, Bytes),
                               linear(To, From, Bytes, cudaMemcpyDefault))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyAsync,
                              (CUdeviceptr To, CUdeviceptr From, size_t Bytes, CUstream Stream),
                              (To, From, Bytes, Stream), linear(To, From, Bytes, cudaMemcpyDefault))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2,
                               (CUdeviceptr To, const void *From, size_t Bytes), (To, From, Bytes),
                               linear(To, From, Bytes, cudaMemcpyHostToDevice))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyHtoDAsync_v2,
                              (CUdeviceptr To, const void *From, size_t Bytes, CUstream Stream),
                              (To, From, Bytes, Stream),
                              linear(To, From, Bytes, cudaMemcpyHostToDevice))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2,
                               (void *To, CUdeviceptr From, size_t Bytes), (To, From, Bytes),
                               linear(To, From, Bytes, cudaMemcpyDeviceToHost))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyDtoHAsync_v2,
                              (void *To, CUdeviceptr From, size_t Bytes, CUstream Stream),
                              (To, From, Bytes, Stream),
                              linear(To, From, Bytes, cudaMemcpyDeviceToHost))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2,
                               (CUdeviceptr To, CUdeviceptr From, size_t Bytes), (To, From, Bytes),
                               linear(To, From, Bytes, cudaMemcpyDeviceToDevice))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyDtoDAsync_v2,
                              (CUdeviceptr To, CUdeviceptr From, size_t Bytes, CUstream Stream),
                              (To, From, Bytes, Stream),
                              linear(To, From, Bytes, cudaMemcpyDeviceToDevice))

GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyPeer, cuMemcpyPeerAsync,
                               (CUdeviceptr To, CUcontext ToContext, CUdeviceptr From,
                                CUcontext FromContext, size_t Bytes),
                               (To, ToContext, From, FromContext, Bytes),
                               peerCopy(pointer(To), pointer(From), Bytes))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyPeerAsync,
                              (CUdeviceptr To, CUcontext ToContext, CUdeviceptr From,
                               CUcontext FromContext, size_t Bytes, CUstream Stream),
                              (To, ToContext, From, FromContext, Bytes, Stream),
                              peerCopy(pointer(To), pointer(From), Bytes))

GMPROF_DRIVER_HOST_TRANSFER(cuMemcpyDtoA_v2,
                            (CUarray To, size_t ToOffset, CUdeviceptr From, size_t Bytes),
                            (To, ToOffset, From, Bytes),
                            copyOf(arraySide(To), memory(pointer(From), cudaMemcpyDeviceToDevice),
                                   Bytes))
GMPROF_DRIVER_HOST_TRANSFER(cuMemcpyAtoD_v2,
                            (CUdeviceptr To, CUarray From, size_t FromOffset, size_t Bytes),
                            (To, From, FromOffset, Bytes),
                            copyOf(memory(pointer(To), cudaMemcpyDeviceToDevice), arraySide(From),
                                   Bytes))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2,
                               (CUarray To, size_t ToOffset, const void *From, size_t Bytes),
                               (To, ToOffset, From, Bytes),
                               copyOf(arraySide(To), memory(From, cudaMemcpyHostToDevice), Bytes))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyHtoAAsync_v2,
                              (CUarray To, size_t ToOffset, const void *From, size_t Bytes,
                               CUstream Stream),
                              (To, ToOffset, From, Bytes, Stream),
                              copyOf(arraySide(To), memory(From, cudaMemcpyHostToDevice), Bytes))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2,
                               (void *To, CUarray From, size_t FromOffset, size_t Bytes),
                               (To, From, FromOffset, Bytes),
                               copyOf(memory(To, cudaMemcpyDeviceToHost), arraySide(From), Bytes))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpyAtoHAsync_v2,
                              (void *To, CUarray From, size_t FromOffset, size_t Bytes,
                               CUstream Stream),
                              (To, From, FromOffset, Bytes, Stream),
                              copyOf(memory(To, cudaMemcpyDeviceToHost), arraySide(From), Bytes))
GMPROF_DRIVER_HOST_TRANSFER(
    cuMemcpyAtoA_v2, (CUarray To, size_t ToOffset, CUarray From, size_t FromOffset, size_t Bytes),
    (To, ToOffset, From, FromOffset, Bytes), copyOf(arraySide(To), arraySide(From), Bytes))

GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *Copy),
                               (Copy), copyOf(*Copy))
GMPROF_DRIVER_HOST_TRANSFER(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *Copy), (Copy),
                            copyOf(*Copy))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *Copy, CUstream Stream),
                              (Copy, Stream), copyOf(*Copy))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *Copy),
                               (Copy), copyOf(*Copy))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *Copy, CUstream Stream),
                              (Copy, Stream), copyOf(*Copy))
GMPROF_DRIVER_WAITING_TRANSFER(cuMemcpy3DPeer, cuMemcpy3DPeerAsync,
                               (const CUDA_MEMCPY3D_PEER *Copy), (Copy), copyOf(*Copy))
GMPROF_DRIVER_STREAM_TRANSFER(cuMemcpy3DPeerAsync,
                              (const CUDA_MEMCPY3D_PEER *Copy, CUstream Stream), (Copy, Stream),
                              copyOf(*Copy))

/// FailIndex: declaration and name of a parameter that CUDA 13 does not have.
#define GMPROF_DRIVER_BATCH(name, stream, failIndex, ...)                                          \
  GMPROF_INTERPOSE_DRIVER(name,                                                                    \
                          (CUdeviceptr * To, CUdeviceptr * From, size_t *Bytes, size_t Count,      \
                           CUmemcpyAttributes *Attributes, size_t *AttributeIndices,               \
                           size_t AttributeCount, GMPROF_UNWRAP failIndex CUstream Stream)) {      \
    auto Plain = [&] {                                                                             \
      return GMPROF_REAL_DRIVER(name, To, From, Bytes, Count, Attributes, AttributeIndices,        \
                                AttributeCount, __VA_ARGS__);                                      \
    };                                                                                             \
    return static_cast<CUresult>(                                                                  \
        batch("cuMemcpyBatchAsync", GMPROF_CALLER, stream, Count, Plain,                           \
              [&](size_t I) { return linear(To[I], From[I], Bytes[I], cudaMemcpyDefault); }));     \
  }
GMPROF_DRIVER_BATCH(cuMemcpyBatchAsync_v2, Stream, (), Stream)
GMPROF_DRIVER_BATCH(cuMemcpyBatchAsync_v2_ptsz, perThread(Stream), (), Stream)
GMPROF_DRIVER_BATCH(cuMemcpyBatchAsync_v1, Stream, (size_t *FailIndex, ), FailIndex, Stream)
GMPROF_DRIVER_BATCH(cuMemcpyBatchAsync_v1_ptsz, perThread(Stream), (size_t *FailIndex, ), FailIndex,
                    Stream)

#define GMPROF_DRIVER_BATCH_3D(name, stream, failIndex, ...)                                       \
  GMPROF_INTERPOSE_DRIVER(name,                                                                    \
                          (size_t Count, CUDA_MEMCPY3D_BATCH_OP *Copies,                           \
                           GMPROF_UNWRAP failIndex unsigned long long Flags, CUstream Stream)) {   \
    return static_cast<CUresult>(batch(                                                            \
        "cuMemcpy3DBatchAsync", GMPROF_CALLER, stream, Count,                                      \
        [&] { return GMPROF_REAL_DRIVER(name, Count, Copies, __VA_ARGS__); },                      \
        [&](size_t I) { return copyOf(Copies[I]); }));                                             \
  }
GMPROF_DRIVER_BATCH_3D(cuMemcpy3DBatchAsync_v2, Stream, (), Flags, Stream)
GMPROF_DRIVER_BATCH_3D(cuMemcpy3DBatchAsync_v2_ptsz, perThread(Stream), (), Flags, Stream)
GMPROF_DRIVER_BATCH_3D(cuMemcpy3DBatchAsync_v1, Stream, (size_t *FailIndex, ), FailIndex, Flags,
                       Stream)
GMPROF_DRIVER_BATCH_3D(cuMemcpy3DBatchAsync_v1_ptsz, perThread(Stream), (size_t *FailIndex, ),
                       FailIndex, Flags, Stream)

/// Returns the transfer without the bytes read, whose number does not follow from that written.
static Transfer decompression(const CUmemDecompressParams &Of) {
  Transfer T = copyOf(Of.dst, 0, Of.src, 0, Of.dstNumBytes, 1, cudaMemcpyDefault);
  T.From.Opaque = true;
  return T;
}

#define GMPROF_DRIVER_DECOMPRESSION(name, stream)                                                  \
  GMPROF_INTERPOSE_DRIVER(name, (CUmemDecompressParams * Params, size_t Count, unsigned Flags,     \
                                 size_t *ErrorIndex, CUstream Stream)) {                           \
    return static_cast<CUresult>(batch(                                                            \
        "cuMemBatchDecompressAsync", GMPROF_CALLER, stream, Count,                                 \
        [&] { return GMPROF_REAL_DRIVER(name, Params, Count, Flags, ErrorIndex, Stream); },        \
        [&](size_t I) { return decompression(Params[I]); }));                                      \
  }
GMPROF_DRIVER_DECOMPRESSION(cuMemBatchDecompressAsync, Stream)
GMPROF_DRIVER_DECOMPRESSION(cuMemBatchDecompressAsync_ptsz, perThread(Stream))

/// Sets of elements of this size, in one row and in several.
#define GMPROF_DRIVER_SETS(row, rows, type, bytes)                                                 \
  GMPROF_DRIVER_WAITING_TRANSFER(row##_v2, row##Async, (CUdeviceptr To, type Value, size_t Count), \
                                 (To, Value, Count), setOf(pointer(To), 0, Count *(bytes), 1))     \
  GMPROF_DRIVER_STREAM_TRANSFER(                                                                   \
      row##Async, (CUdeviceptr To, type Value, size_t Count, CUstream Stream),                     \
      (To, Value, Count, Stream), setOf(pointer(To), 0, Count *(bytes), 1))                        \
  GMPROF_DRIVER_WAITING_TRANSFER(                                                                  \
      rows##_v2, rows##Async,                                                                      \
      (CUdeviceptr To, size_t Pitch, type Value, size_t Width, size_t Height),                     \
      (To, Pitch, Value, Width, Height), setOf(pointer(To), Pitch, Width *(bytes), Height))        \
  GMPROF_DRIVER_STREAM_TRANSFER(                                                                   \
      rows##Async,                                                                                 \
      (CUdeviceptr To, size_t Pitch, type Value, size_t Width, size_t Height, CUstream Stream),    \
      (To, Pitch, Value, Width, Height, Stream),                                                   \
      setOf(pointer(To), Pitch, Width *(bytes), Height))
GMPROF_DRIVER_SETS(cuMemsetD8, cuMemsetD2D8, unsigned char, 1)
GMPROF_DRIVER_SETS(cuMemsetD16, cuMemsetD2D16, unsigned short, 2)
GMPROF_DRIVER_SETS(cuMemsetD32, cuMemsetD2D32, unsigned, 4)

//===----------------------------------------------------------------------===//
// Operations of streams on a word of memory
//===----------------------------------------------------------------------===//

#define GMPROF_DRIVER_WRITE_VALUE(name, stream, type)                                              \
  GMPROF_DRIVER_TRANSFER(                                                                          \
      name, stream, true, (CUstream Stream, CUdeviceptr Address, type Value, unsigned Flags),      \
      (Stream, Address, Value, Flags), setOf(pointer(Address), 0, sizeof(type), 1))
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue32_v1, Stream, cuuint32_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue32_v1_ptsz, perThread(Stream), cuuint32_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue32_v2, Stream, cuuint32_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue32_v2_ptsz, perThread(Stream), cuuint32_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue64_v1, Stream, cuuint64_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue64_v1_ptsz, perThread(Stream), cuuint64_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue64_v2, Stream, cuuint64_t)
GMPROF_DRIVER_WRITE_VALUE(cuStreamWriteValue64_v2_ptsz, perThread(Stream), cuuint64_t)

namespace gmprof::host {
namespace {

std::vector<Transfer> writesOf(std::span<const CUstreamBatchMemOpParams> Operations) {
  std::vector<Transfer> Writes;
  for (const CUstreamBatchMemOpParams &Each : Operations)
    if (Each.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
      Writes.push_back(setOf(pointer(Each.writeValue.address), 0, sizeof(cuuint32_t), 1));
    else if (Each.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
      Writes.push_back(setOf(pointer(Each.writeValue.address), 0, sizeof(cuuint64_t), 1));
  return Writes;
}

uint64_t waitsOf(std::span<const CUstreamBatchMemOpParams> Operations) {
  return static_cast<uint64_t>(
      std::count_if(Operations.begin(), Operations.end(), [](const auto &Each) {
        return Each.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
               Each.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
      }));
}

/// Records writes of the operations as sets, and counts their waits.
template <typename Call>
CUresult memoryOperations(const void *Caller, cudaStream_t Stream,
                          std::span<const CUstreamBatchMemOpParams> Operations, Call Plain) {
  const std::vector<Transfer> Writes = writesOf(Operations);
  const uint64_t Waits = waitsOf(Operations);
  cudaError_t Error = batch("cuStreamBatchMemOp", Caller, Stream, Writes.size(), Plain,
                            [&](size_t I) { return Writes[I]; });
  Session *S = Error == cudaSuccess && Waits != 0 && !Inside::now() ? Session::begin() : nullptr;
  if (S) {
    Inside Guard;
    S->log().gap("orders of streams", "what waits by cuStreamBatchMemOp is not recorded", Waits);
  }
  return static_cast<CUresult>(Error);
}

} // namespace
} // namespace gmprof::host

#define GMPROF_DRIVER_BATCH_OPERATION(name, stream)                                                \
  GMPROF_INTERPOSE_DRIVER(name, (CUstream Stream, unsigned Count,                                  \
                                 CUstreamBatchMemOpParams *Operations, unsigned Flags)) {          \
    return memoryOperations(GMPROF_CALLER, stream, {Operations, Operations ? Count : 0}, [&] {     \
      return GMPROF_REAL_DRIVER(name, Stream, Count, Operations, Flags);                           \
    });                                                                                            \
  }
GMPROF_DRIVER_BATCH_OPERATION(cuStreamBatchMemOp_v1, Stream)
GMPROF_DRIVER_BATCH_OPERATION(cuStreamBatchMemOp_v1_ptsz, perThread(Stream))
GMPROF_DRIVER_BATCH_OPERATION(cuStreamBatchMemOp_v2, Stream)
GMPROF_DRIVER_BATCH_OPERATION(cuStreamBatchMemOp_v2_ptsz, perThread(Stream))

//===----------------------------------------------------------------------===//
// The CPU device
//===----------------------------------------------------------------------===//

/// Copies on behalf of the CPU device. Returns false if nothing was copied.
GMPROF_INTERPOSE bool __gmprof_copy_anyway(void *To, const void *From, size_t Bytes) {
  return LateWaits::copyAnyway(To, From, Bytes);
}
