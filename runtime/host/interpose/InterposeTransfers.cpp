//===- InterposeTransfers.cpp - Copies and sets ---------------------------===//
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

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/objects/Transfers.h"
#include "host/sync/WhatIf.h"
#include <algorithm>
#include <span>
#include <vector>

using namespace gmprof;
using namespace gmprof::host;

namespace {

/// Observes the call in a profile of synchronisation.
template <typename Call>
cudaError_t observedTransfer(Session &S, const TransferCall &Made, Call Plain, const Transfer &T) {
  SyncProfile &Sync = *S.sync();
  TransferContents *Contents = Sync.contents();
  const bool Watched =
      Contents && T.RowBytes != 0 && T.Rows != 0 && T.Slices != 0 && !S.capturing(Made.Stream);
  TransferContents::Before Before;
  if (Watched) {
    Before.To = Contents->sideOf(T, T.To);
    if (!T.Set)
      Before.From = Contents->sideOf(T, T.From);
    Sync.copying(Made.Caller, Before.To, Before.From);
    if (!T.Set)
      Contents->before(Before, Made.Stream);
  }
  ObservedCall Observed(
      {T.Set ? log::CallKind::Set : log::CallKind::Copy, Made.Api, Made.Caller, Made.Stream});
  if (Watched)
    Sync.copyingAs(Observed.operation(), Before.To, Before.From);
  cudaError_t Error = Plain();
  Observed.returned(Error);
  const SyncProfile::CopyRecords Records = Sync.copyRecords();
  if (Error != cudaSuccess || T.RowBytes == 0 || Records == SyncProfile::CopyRecords::Nothing)
    return Error;
  const log::CopyRecord Record = Records == SyncProfile::CopyRecords::Wait
                                     ? transferRecord(S, Made, T)
                                     : recordTransfer(S, Made, T);
  // The program may have waited.
  if (!Made.Async && !T.Set)
    S.poll();
  const bool Ended = Record.wait == log::HostWait::All;
  if (Ended)
    Observed.setHostDone();
  else if (Made.Async && !isPageable(Record.to) && !isPageable(Record.from))
    Observed.setNeverWaits();
  if (Watched && !T.Set)
    Contents->after(Before, Observed.operation(), Made.Stream, Ended);
  return Error;
}

/// Makes the program's call and records the transfer that Describe returns. WithoutWait: the form
/// of the call that does not wait.
template <typename Call, typename AsyncCall, typename Describe>
cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     Call Plain, AsyncCall WithoutWait, Describe What) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  if (WhatIf *W = WhatIf::active()) {
    cudaError_t Error = W->copy({Api, Caller, Stream, Async, steadyNs()}, Plain, WithoutWait, What);
    W->started();
    return Error;
  }
  if (needsOf(settings().TheOptions.Profiles).Calls)
    if (Session *S = Session::begin(); S && S->sync())
      return observedTransfer(*S, {Api, Caller, Stream, Async, steadyNs()}, Plain, What());
  const TransferCall Made = {Api, Caller, Stream, Async, steadyNs()};
  cudaError_t Error = Plain();
  Session *S = Error == cudaSuccess ? Session::begin() : nullptr;
  if (!S)
    return Error;
  const Transfer T = What();
  recordTransfer(*S, Made, T);
  // The program may have waited.
  if (!Async && !T.Set)
    S->poll();
  return Error;
}

template <typename Call, typename Describe>
cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     Call Plain, Describe What) {
  return transfer(Api, Caller, Stream, Async, Plain, Plain, What);
}

/// Returns the side of memory in a copy between memory and an array or variable.
TransferSide memory(const void *Pointer, cudaMemcpyKind Kind, uint64_t Pitch = 0) {
  const bool OnHost = Kind == cudaMemcpyHostToDevice || Kind == cudaMemcpyDeviceToHost;
  TransferSide Side;
  Side.Pointer = Pointer;
  Side.Pitch = Pitch;
  Side.In = OnHost                             ? TransferSide::Where::Host
            : Kind == cudaMemcpyDeviceToDevice ? TransferSide::Where::Device
                                               : TransferSide::Where::Unknown;
  return Side;
}

Transfer peerCopy(void *To, const void *From, uint64_t Bytes) {
  Transfer T = copyOf(To, 0, From, 0, Bytes, 1, cudaMemcpyDeviceToDevice);
  T.Peer = true;
  return T;
}

/// Records each copy of a batch. Copy: describes a copy by its number.
template <typename Call, typename Describe>
cudaError_t batch(const char *Api, const void *Caller, cudaStream_t Stream, size_t Count,
                  Call Plain, Describe Copy) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  if (LateWaits *L = LateWaits::active())
    for (size_t I = 0; I < Count; ++I)
      L->transferring(Copy(I), Stream, /*Async=*/true);
  const TransferCall Made = {Api, Caller, Stream, true, steadyNs()};
  cudaError_t Error = Plain();
  Session *S = Error == cudaSuccess ? Session::begin() : nullptr;
  if (!S)
    return Error;
  // The graph nodes of a batch cannot be distinguished.
  if (S->capturing(Stream))
    S->log().gap("copies", std::string(Api) + " into a stream that is captured", Count);
  else
    for (size_t I = 0; I < Count; ++I)
      recordTransfer(*S, Made, Copy(I));
  return Error;
}

auto copyIn(void *const *To, const void *const *From, const size_t *Bytes) {
  return [=](size_t I) { return copyOf(To[I], 0, From[I], 0, Bytes[I], 1, cudaMemcpyDefault); };
}

} // namespace

#define GMPROF_UNWRAP(...) __VA_ARGS__
#define GMPROF_TRANSFER_BY(plain, without, api, name, stream, async, parameters, ...)              \
  GMPROF_INTERPOSE cudaError_t name parameters {                                                   \
    return transfer(                                                                               \
        #api, GMPROF_CALLER, stream, async, [&] { return plain; }, [&] { return without; },        \
        [&] { return __VA_ARGS__; });                                                              \
  }
/// A transfer without a form that waits less.
#define GMPROF_TRANSFER(api, name, stream, async, parameters, arguments, ...)                      \
  GMPROF_TRANSFER_BY(GMPROF_REAL(name, GMPROF_UNWRAP arguments),                                   \
                     GMPROF_REAL(name, GMPROF_UNWRAP arguments), api, name, stream, async,         \
                     parameters, __VA_ARGS__)
/// A transfer that waits, whereas its Async form does not.
#define GMPROF_WAITING_TRANSFER(api, name, stream, parameters, arguments, ...)                     \
  GMPROF_TRANSFER_BY(GMPROF_REAL(name, GMPROF_UNWRAP arguments),                                   \
                     GMPROF_REAL(api##Async, GMPROF_UNWRAP arguments, stream), api, name, stream,  \
                     false, parameters, __VA_ARGS__)

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

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {

void *pointer(CUdeviceptr Address) { return reinterpret_cast<void *>(Address); }
void *pointer(const void *Address) { return const_cast<void *>(Address); }

template <typename To, typename From>
Transfer linear(To Target, From Source, uint64_t Bytes, cudaMemcpyKind Kind) {
  return copyOf(pointer(Target), 0, pointer(Source), 0, Bytes, 1, Kind);
}

} // namespace

#define GMPROF_DRIVER_TRANSFER_BY(without, name, stream, async, parameters, arguments, ...)        \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(transfer(                                                         \
        nameOf(DriverHook::name), GMPROF_CALLER, stream, async,                                    \
        [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); },                         \
        [&] { return without; }, [&] { return __VA_ARGS__; }));                                    \
  }
/// A transfer without a form that waits less.
#define GMPROF_DRIVER_TRANSFER(name, stream, async, parameters, arguments, ...)                    \
  GMPROF_DRIVER_TRANSFER_BY(GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments), name, stream,       \
                            async, parameters, arguments, __VA_ARGS__)

/// Both forms of a function, and the transfer that it makes.
#define GMPROF_DRIVER_HOST_TRANSFER(name, parameters, arguments, ...)                              \
  GMPROF_DRIVER_TRANSFER(name, nullptr, false, parameters, arguments, __VA_ARGS__)                 \
  GMPROF_DRIVER_TRANSFER(name##_ptds, cudaStreamPerThread, false, parameters, arguments,           \
                         __VA_ARGS__)
/// A transfer that waits, whereas the other function does not.
#define GMPROF_DRIVER_WAITING_TRANSFER(name, without, parameters, arguments, ...)                  \
  GMPROF_DRIVER_TRANSFER_BY(                                                                       \
      GMPROF_REAL_DRIVER(without, GMPROF_UNWRAP arguments, CU_STREAM_LEGACY), name, nullptr,       \
      false, parameters, arguments, __VA_ARGS__)                                                   \
  GMPROF_DRIVER_TRANSFER_BY(                                                                       \
      GMPROF_REAL_DRIVER(without, GMPROF_UNWRAP arguments, CU_STREAM_PER_THREAD), name##_ptds,     \
      cudaStreamPerThread, false, parameters, arguments, __VA_ARGS__)
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

/// The number of bytes read does not follow from the number written.
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
