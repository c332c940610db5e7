//===- InterposeTransfers.cpp - Copies and sets of libcudart --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes copies and sets. Failed calls are not recorded. Programs with per-thread default
// streams call the _ptds and _ptsz forms.
//
//===----------------------------------------------------------------------===//

#include "host/interpose/TransferCalls.h"

using namespace gmprof;
using namespace gmprof::host;

/// A transfer without a form that waits less.
#define GMPROF_TRANSFER(api, name, stream, async, parameters, arguments, ...)                      \
  GMPROF_INTERPOSE cudaError_t name parameters {                                                   \
    return transfer(                                                                               \
        #api, GMPROF_CALLER, stream, async,                                                        \
        [&] { return GMPROF_REAL(name, GMPROF_UNWRAP arguments); }, [&] { return __VA_ARGS__; });  \
  }
/// A transfer that waits, whereas its Async form does not.
#define GMPROF_WAITING_TRANSFER(api, name, stream, parameters, arguments, ...)                     \
  GMPROF_INTERPOSE cudaError_t name parameters {                                                   \
    return transfer(                                                                               \
        #api, GMPROF_CALLER, stream, /*Async=*/false,                                              \
        [&] { return GMPROF_REAL(name, GMPROF_UNWRAP arguments); },                                \
        [&] { return GMPROF_REAL(api##Async, GMPROF_UNWRAP arguments, stream); },                  \
        [&] { return __VA_ARGS__; });                                                              \
  }

/// Both forms of a function, and the transfer that it makes.
#define GMPROF_HOST_TRANSFER(name, parameters, arguments, ...)                                     \
  GMPROF_WAITING_TRANSFER(name, name, nullptr, parameters, arguments, __VA_ARGS__)                 \
  GMPROF_WAITING_TRANSFER(name, name##_ptds, cudaStreamPerThread, parameters, arguments,           \
                          __VA_ARGS__)
#define GMPROF_ARRAY_TRANSFER(name, parameters, arguments, ...)                                    \
  GMPROF_TRANSFER(name, name, nullptr, false, parameters, arguments, __VA_ARGS__)                  \
  GMPROF_TRANSFER(name, name##_ptds, cudaStreamPerThread, false, parameters, arguments, __VA_ARGS__)
#define GMPROF_STREAM_TRANSFER(name, parameters, arguments, ...)                                   \
  GMPROF_TRANSFER(name, name, Stream, true, parameters, arguments, __VA_ARGS__)                    \
  GMPROF_TRANSFER(name, name##_ptsz, perThread(Stream), true, parameters, arguments, __VA_ARGS__)

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

GMPROF_HOST_TRANSFER(cudaMemcpy, (void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind),
                     (To, From, Bytes, Kind), copyOf(To, 0, From, 0, Bytes, 1, Kind))
GMPROF_STREAM_TRANSFER(cudaMemcpyAsync,
                       (void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind,
                        cudaStream_t Stream),
                       (To, From, Bytes, Kind, Stream), copyOf(To, 0, From, 0, Bytes, 1, Kind))

GMPROF_HOST_TRANSFER(cudaMemcpy2D,
                     (void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                      size_t Height, cudaMemcpyKind Kind),
                     (To, ToPitch, From, FromPitch, Width, Height, Kind),
                     copyOf(To, ToPitch, From, FromPitch, Width, Height, Kind))
GMPROF_STREAM_TRANSFER(cudaMemcpy2DAsync,
                       (void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                        size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, ToPitch, From, FromPitch, Width, Height, Kind, Stream),
                       copyOf(To, ToPitch, From, FromPitch, Width, Height, Kind))

GMPROF_HOST_TRANSFER(cudaMemcpy3D, (const cudaMemcpy3DParms *Params), (Params), copyOf(*Params))
GMPROF_STREAM_TRANSFER(cudaMemcpy3DAsync, (const cudaMemcpy3DParms *Params, cudaStream_t Stream),
                       (Params, Stream), copyOf(*Params))

//===----------------------------------------------------------------------===//
// Between devices
//===----------------------------------------------------------------------===//

GMPROF_TRANSFER(cudaMemcpyPeer, cudaMemcpyPeer, nullptr, false,
                (void *To, int ToDevice, const void *From, int FromDevice, size_t Bytes),
                (To, ToDevice, From, FromDevice, Bytes), peerCopy(To, From, Bytes))
GMPROF_TRANSFER(cudaMemcpyPeerAsync, cudaMemcpyPeerAsync, Stream, true,
                (void *To, int ToDevice, const void *From, int FromDevice, size_t Bytes,
                 cudaStream_t Stream),
                (To, ToDevice, From, FromDevice, Bytes, Stream), peerCopy(To, From, Bytes))
GMPROF_HOST_TRANSFER(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms *Params), (Params),
                     copyOf(*Params))
GMPROF_STREAM_TRANSFER(cudaMemcpy3DPeerAsync,
                       (const cudaMemcpy3DPeerParms *Params, cudaStream_t Stream), (Params, Stream),
                       copyOf(*Params))

//===----------------------------------------------------------------------===//
// Variables of modules
//===----------------------------------------------------------------------===//

GMPROF_HOST_TRANSFER(cudaMemcpyToSymbol,
                     (const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                      cudaMemcpyKind Kind),
                     (Symbol, From, Bytes, Offset, Kind),
                     copyOf(variableSide(Symbol, Offset), memory(From, Kind), Bytes))
GMPROF_STREAM_TRANSFER(cudaMemcpyToSymbolAsync,
                       (const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                        cudaMemcpyKind Kind, cudaStream_t Stream),
                       (Symbol, From, Bytes, Offset, Kind, Stream),
                       copyOf(variableSide(Symbol, Offset), memory(From, Kind), Bytes))
GMPROF_HOST_TRANSFER(cudaMemcpyFromSymbol,
                     (void *To, const void *Symbol, size_t Bytes, size_t Offset,
                      cudaMemcpyKind Kind),
                     (To, Symbol, Bytes, Offset, Kind),
                     copyOf(memory(To, Kind), variableSide(Symbol, Offset), Bytes))
GMPROF_STREAM_TRANSFER(cudaMemcpyFromSymbolAsync,
                       (void *To, const void *Symbol, size_t Bytes, size_t Offset,
                        cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, Symbol, Bytes, Offset, Kind, Stream),
                       copyOf(memory(To, Kind), variableSide(Symbol, Offset), Bytes))

//===----------------------------------------------------------------------===//
// Arrays for textures
//===----------------------------------------------------------------------===//

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

GMPROF_HOST_TRANSFER(cudaMemcpyToArray,
                     (cudaArray_t To, size_t ToX, size_t ToY, const void *From, size_t Bytes,
                      cudaMemcpyKind Kind),
                     (To, ToX, ToY, From, Bytes, Kind),
                     copyOf(arraySide(To), memory(From, Kind), Bytes))
GMPROF_STREAM_TRANSFER(cudaMemcpyToArrayAsync,
                       (cudaArray_t To, size_t ToX, size_t ToY, const void *From, size_t Bytes,
                        cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, ToX, ToY, From, Bytes, Kind, Stream),
                       copyOf(arraySide(To), memory(From, Kind), Bytes))
GMPROF_HOST_TRANSFER(cudaMemcpyFromArray,
                     (void *To, cudaArray_const_t From, size_t FromX, size_t FromY, size_t Bytes,
                      cudaMemcpyKind Kind),
                     (To, From, FromX, FromY, Bytes, Kind),
                     copyOf(memory(To, Kind), arraySide(From), Bytes))
GMPROF_STREAM_TRANSFER(cudaMemcpyFromArrayAsync,
                       (void *To, cudaArray_const_t From, size_t FromX, size_t FromY, size_t Bytes,
                        cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, From, FromX, FromY, Bytes, Kind, Stream),
                       copyOf(memory(To, Kind), arraySide(From), Bytes))
GMPROF_ARRAY_TRANSFER(cudaMemcpyArrayToArray,
                      (cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From, size_t FromX,
                       size_t FromY, size_t Bytes, cudaMemcpyKind Kind),
                      (To, ToX, ToY, From, FromX, FromY, Bytes, Kind),
                      copyOf(arraySide(To), arraySide(From), Bytes))
GMPROF_HOST_TRANSFER(cudaMemcpy2DToArray,
                     (cudaArray_t To, size_t ToX, size_t ToY, const void *From, size_t Pitch,
                      size_t Width, size_t Height, cudaMemcpyKind Kind),
                     (To, ToX, ToY, From, Pitch, Width, Height, Kind),
                     copyOf(arraySide(To), memory(From, Kind, Pitch), Width, Height))
GMPROF_STREAM_TRANSFER(cudaMemcpy2DToArrayAsync,
                       (cudaArray_t To, size_t ToX, size_t ToY, const void *From, size_t Pitch,
                        size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, ToX, ToY, From, Pitch, Width, Height, Kind, Stream),
                       copyOf(arraySide(To), memory(From, Kind, Pitch), Width, Height))
GMPROF_HOST_TRANSFER(cudaMemcpy2DFromArray,
                     (void *To, size_t Pitch, cudaArray_const_t From, size_t FromX, size_t FromY,
                      size_t Width, size_t Height, cudaMemcpyKind Kind),
                     (To, Pitch, From, FromX, FromY, Width, Height, Kind),
                     copyOf(memory(To, Kind, Pitch), arraySide(From), Width, Height))
GMPROF_STREAM_TRANSFER(cudaMemcpy2DFromArrayAsync,
                       (void *To, size_t Pitch, cudaArray_const_t From, size_t FromX, size_t FromY,
                        size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream),
                       (To, Pitch, From, FromX, FromY, Width, Height, Kind, Stream),
                       copyOf(memory(To, Kind, Pitch), arraySide(From), Width, Height))
GMPROF_ARRAY_TRANSFER(cudaMemcpy2DArrayToArray,
                      (cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From, size_t FromX,
                       size_t FromY, size_t Width, size_t Height, cudaMemcpyKind Kind),
                      (To, ToX, ToY, From, FromX, FromY, Width, Height, Kind),
                      copyOf(arraySide(To), arraySide(From), Width, Height))

#pragma clang diagnostic pop

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaMemcpyBatchAsync(void *const *To, const void *const *From,
                                                  const size_t *Bytes, size_t Count,
                                                  cudaMemcpyAttributes *Attributes,
                                                  size_t *AttributeIndices, size_t AttributeCount,
                                                  cudaStream_t Stream) {
  auto Plain = [&] {
    return GMPROF_REAL(cudaMemcpyBatchAsync, To, From, Bytes, Count, Attributes, AttributeIndices,
                       AttributeCount, Stream);
  };
  return batch("cudaMemcpyBatchAsync", GMPROF_CALLER, Stream, Count, Plain,
               copyIn(To, From, Bytes));
}

GMPROF_INTERPOSE cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *To, const void *const *From,
                                                       const size_t *Bytes, size_t Count,
                                                       cudaMemcpyAttributes *Attributes,
                                                       size_t *AttributeIndices,
                                                       size_t AttributeCount, cudaStream_t Stream) {
  auto Plain = [&] {
    return GMPROF_REAL(cudaMemcpyBatchAsync_ptsz, To, From, Bytes, Count, Attributes,
                       AttributeIndices, AttributeCount, Stream);
  };
  return batch("cudaMemcpyBatchAsync", GMPROF_CALLER, perThread(Stream), Count, Plain,
               copyIn(To, From, Bytes));
}

GMPROF_INTERPOSE cudaError_t cudaMemcpy3DBatchAsync(size_t Count, cudaMemcpy3DBatchOp *Copies,
                                                    unsigned long long Flags, cudaStream_t Stream) {
  return batch(
      "cudaMemcpy3DBatchAsync", GMPROF_CALLER, Stream, Count,
      [&] { return GMPROF_REAL(cudaMemcpy3DBatchAsync, Count, Copies, Flags, Stream); },
      [&](size_t I) { return copyOf(Copies[I]); });
}

GMPROF_INTERPOSE cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t Count, cudaMemcpy3DBatchOp *Copies,
                                                         unsigned long long Flags,
                                                         cudaStream_t Stream) {
  return batch(
      "cudaMemcpy3DBatchAsync", GMPROF_CALLER, perThread(Stream), Count,
      [&] { return GMPROF_REAL(cudaMemcpy3DBatchAsync_ptsz, Count, Copies, Flags, Stream); },
      [&](size_t I) { return copyOf(Copies[I]); });
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

GMPROF_HOST_TRANSFER(cudaMemset, (void *To, int Value, size_t Bytes), (To, Value, Bytes),
                     setOf(To, 0, Bytes, 1))
GMPROF_STREAM_TRANSFER(cudaMemsetAsync, (void *To, int Value, size_t Bytes, cudaStream_t Stream),
                       (To, Value, Bytes, Stream), setOf(To, 0, Bytes, 1))
GMPROF_HOST_TRANSFER(cudaMemset2D, (void *To, size_t Pitch, int Value, size_t Width, size_t Height),
                     (To, Pitch, Value, Width, Height), setOf(To, Pitch, Width, Height))
GMPROF_STREAM_TRANSFER(cudaMemset2DAsync,
                       (void *To, size_t Pitch, int Value, size_t Width, size_t Height,
                        cudaStream_t Stream),
                       (To, Pitch, Value, Width, Height, Stream), setOf(To, Pitch, Width, Height))
GMPROF_HOST_TRANSFER(cudaMemset3D, (cudaPitchedPtr To, int Value, cudaExtent Extent),
                     (To, Value, Extent), setOf(To, Extent))
GMPROF_STREAM_TRANSFER(cudaMemset3DAsync,
                       (cudaPitchedPtr To, int Value, cudaExtent Extent, cudaStream_t Stream),
                       (To, Value, Extent, Stream), setOf(To, Extent))
