//===- Transfers.cpp - Copy and memset functions of libcudart, compiled twice ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arrays.h"
#include "cpu/api/Copies.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

cudaError_t copyBlocking(const CopyOp &Op) {
  return callOn(nullptr, [&](Stream &S) { return copy(S, Op, true); });
}

cudaError_t copyAsync(const CopyOp &Op, cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) { return copy(S, Op, false); });
}

cudaError_t fillBlocking(const MemsetOp &Op) {
  return callOn(nullptr, [&](Stream &S) { return fill(S, Op, true); });
}

cudaError_t fillAsync(const MemsetOp &Op, cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) { return fill(S, Op, false); });
}

/// Returns the address of a part of a variable.
Result<void *> partOf(const void *Symbol, size_t Bytes, size_t Offset) {
  Result<Variable> V = modules().variable(Symbol);
  if (!V)
    return V.Error;
  if (Offset > V.Value.Bytes || Bytes > V.Value.Bytes - Offset)
    return cudaErrorInvalidValue;
  return static_cast<void *>(static_cast<char *>(V.Value.Address) + Offset);
}

cudaError_t copyToSymbol(const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                         cudaMemcpyKind Kind, cudaStream_t Handle, bool Blocking) {
  return callOn(Handle, [&](Stream &S) {
    if (Kind != cudaMemcpyHostToDevice && Kind != cudaMemcpyDeviceToDevice &&
        Kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    Result<void *> To = partOf(Symbol, Bytes, Offset);
    return To ? copy(S, linearCopy(To.Value, From, Bytes, Kind), Blocking) : To.Error;
  });
}

cudaError_t copyFromSymbol(void *To, const void *Symbol, size_t Bytes, size_t Offset,
                           cudaMemcpyKind Kind, cudaStream_t Handle, bool Blocking) {
  return callOn(Handle, [&](Stream &S) {
    if (Kind != cudaMemcpyDeviceToHost && Kind != cudaMemcpyDeviceToDevice &&
        Kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    Result<void *> From = partOf(Symbol, Bytes, Offset);
    return From ? copy(S, linearCopy(To, From.Value, Bytes, Kind), Blocking) : From.Error;
  });
}

CopyOp boxCopy(const cudaMemcpy3DParms *P) {
  CopyOp Op;
  Op.Params = *P;
  return Op;
}

CopyOp boxCopy(const cudaMemcpy3DPeerParms *P) {
  CopyOp Op;
  Op.Params = {P->srcArray, P->srcPos, P->srcPtr, P->dstArray,
               P->dstPos,   P->dstPtr, P->extent, cudaMemcpyDefault};
  return Op;
}

/// Copies rows. Sides makes arrays sides of the copy; it returns false if it cannot.
template <typename Function>
cudaError_t copyRows(void *To, size_t ToPitch, const void *From, size_t FromPitch, const Rows &R,
                     cudaMemcpyKind Kind, cudaStream_t Handle, bool Blocking, Function Sides) {
  return callOn(Handle, [&](Stream &S) {
    CopyOp Op = pitchedCopy(To, ToPitch, From, FromPitch, R.Bytes, R.Count, Kind);
    return Sides(Op.Params) ? copy(S, Op, Blocking) : cudaErrorInvalidValue;
  });
}

cudaError_t copyToArray(const ArrayPlace &To, const void *From, size_t Pitch, const Rows &R,
                        cudaMemcpyKind Kind, cudaStream_t Handle, bool Blocking) {
  return copyRows(nullptr, 0, From, Pitch, R, Kind, Handle, Blocking,
                  [&](cudaMemcpy3DParms &P) { return copyTo(P, To, R); });
}

cudaError_t copyFromArray(void *To, size_t Pitch, const ArrayPlace &From, const Rows &R,
                          cudaMemcpyKind Kind, cudaStream_t Handle, bool Blocking) {
  return copyRows(To, Pitch, nullptr, 0, R, Kind, Handle, Blocking,
                  [&](cudaMemcpy3DParms &P) { return copyFrom(P, From, R); });
}

cudaError_t copyArrays(const ArrayPlace &To, const ArrayPlace &From, const Rows &R,
                       cudaMemcpyKind Kind) {
  return copyRows(nullptr, 0, nullptr, 0, R, Kind, nullptr, true,
                  [&](cudaMemcpy3DParms &P) { return copyTo(P, To, R) && copyFrom(P, From, R); });
}

/// Copies a number of bytes from or to an array, as rows.
template <typename Function>
cudaError_t ofBytes(const ArrayPlace &At, size_t Bytes, Function Copy) {
  std::optional<Rows> R = rowsFrom(At, Bytes);
  return R ? Copy(*R) : record(cudaErrorInvalidValue);
}

MemsetOp pitchedMemset(void *To, size_t Pitch, int Value, size_t Width, size_t Height,
                       size_t Depth = 1, size_t SliceRows = 0) {
  return {
      {To, Pitch, static_cast<unsigned>(Value) & 0xff, 1, Width, Height}, Depth, Pitch * SliceRows};
}

MemsetOp boxMemset(const cudaPitchedPtr &To, int Value, const cudaExtent &E) {
  return pitchedMemset(To.ptr, To.pitch, Value, E.width, E.height, E.depth, To.ysize);
}

} // namespace

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return copyBlocking(linearCopy(To, From, Bytes, Kind));
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind,
                            cudaStream_t Handle) {
  return copyAsync(linearCopy(To, From, Bytes, Kind), Handle);
}

cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                         size_t Height, cudaMemcpyKind Kind) {
  return copyBlocking(pitchedCopy(To, ToPitch, From, FromPitch, Width, Height, Kind));
}

cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From, size_t FromPitch,
                              size_t Width, size_t Height, cudaMemcpyKind Kind,
                              cudaStream_t Handle) {
  return copyAsync(pitchedCopy(To, ToPitch, From, FromPitch, Width, Height, Kind), Handle);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  return P ? copyBlocking(boxCopy(P)) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t Handle) {
  return P ? copyAsync(boxCopy(P), Handle) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *P) {
  return P ? copyBlocking(boxCopy(P)) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *P, cudaStream_t Handle) {
  return P ? copyAsync(boxCopy(P), Handle) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t To, size_t X, size_t Y, const void *From, size_t Pitch,
                                size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return copyToArray({To, X, Y}, From, Pitch, {Width, Height}, Kind, nullptr, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t To, size_t X, size_t Y, const void *From,
                                     size_t Pitch, size_t Width, size_t Height, cudaMemcpyKind Kind,
                                     cudaStream_t Handle) {
  return copyToArray({To, X, Y}, From, Pitch, {Width, Height}, Kind, Handle, false);
}

cudaError_t cudaMemcpy2DFromArray(void *To, size_t Pitch, cudaArray_const_t From, size_t X,
                                  size_t Y, size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return copyFromArray(To, Pitch, {From, X, Y}, {Width, Height}, Kind, nullptr, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch, cudaArray_const_t From, size_t X,
                                       size_t Y, size_t Width, size_t Height, cudaMemcpyKind Kind,
                                       cudaStream_t Handle) {
  return copyFromArray(To, Pitch, {From, X, Y}, {Width, Height}, Kind, Handle, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From,
                                     size_t X, size_t Y, size_t Width, size_t Height,
                                     cudaMemcpyKind Kind) {
  return copyArrays({To, ToX, ToY}, {From, X, Y}, {Width, Height}, Kind);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From,
                                   size_t X, size_t Y, size_t Bytes, cudaMemcpyKind Kind) {
  return ofBytes({From, X, Y}, Bytes,
                 [&](const Rows &R) { return copyArrays({To, ToX, ToY}, {From, X, Y}, R, Kind); });
}

cudaError_t cudaMemcpyToArray(cudaArray_t To, size_t X, size_t Y, const void *From, size_t Bytes,
                              cudaMemcpyKind Kind) {
  return ofBytes({To, X, Y}, Bytes, [&](const Rows &R) {
    return copyToArray({To, X, Y}, From, R.Bytes, R, Kind, nullptr, true);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t To, size_t X, size_t Y, const void *From,
                                   size_t Bytes, cudaMemcpyKind Kind, cudaStream_t Handle) {
  return ofBytes({To, X, Y}, Bytes, [&](const Rows &R) {
    return copyToArray({To, X, Y}, From, R.Bytes, R, Kind, Handle, false);
  });
}

cudaError_t cudaMemcpyFromArray(void *To, cudaArray_const_t From, size_t X, size_t Y, size_t Bytes,
                                cudaMemcpyKind Kind) {
  return ofBytes({From, X, Y}, Bytes, [&](const Rows &R) {
    return copyFromArray(To, R.Bytes, {From, X, Y}, R, Kind, nullptr, true);
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void *To, cudaArray_const_t From, size_t X, size_t Y,
                                     size_t Bytes, cudaMemcpyKind Kind, cudaStream_t Handle) {
  return ofBytes({From, X, Y}, Bytes, [&](const Rows &R) {
    return copyFromArray(To, R.Bytes, {From, X, Y}, R, Kind, Handle, false);
  });
}

cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                               cudaMemcpyKind Kind) {
  return copyToSymbol(Symbol, From, Bytes, Offset, Kind, nullptr, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol, const void *From, size_t Bytes,
                                    size_t Offset, cudaMemcpyKind Kind, cudaStream_t Handle) {
  return copyToSymbol(Symbol, From, Bytes, Offset, Kind, Handle, false);
}

cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes, size_t Offset,
                                 cudaMemcpyKind Kind) {
  return copyFromSymbol(To, Symbol, Bytes, Offset, Kind, nullptr, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol, size_t Bytes, size_t Offset,
                                      cudaMemcpyKind Kind, cudaStream_t Handle) {
  return copyFromSymbol(To, Symbol, Bytes, Offset, Kind, Handle, false);
}

cudaError_t cudaMemset(void *To, int Value, size_t Bytes) {
  return fillBlocking(linearMemset(To, Value, Bytes));
}

cudaError_t cudaMemsetAsync(void *To, int Value, size_t Bytes, cudaStream_t Handle) {
  return fillAsync(linearMemset(To, Value, Bytes), Handle);
}

cudaError_t cudaMemset2D(void *To, size_t Pitch, int Value, size_t Width, size_t Height) {
  return fillBlocking(pitchedMemset(To, Pitch, Value, Width, Height));
}

cudaError_t cudaMemset2DAsync(void *To, size_t Pitch, int Value, size_t Width, size_t Height,
                              cudaStream_t Handle) {
  return fillAsync(pitchedMemset(To, Pitch, Value, Width, Height), Handle);
}

cudaError_t cudaMemset3D(cudaPitchedPtr To, int Value, cudaExtent Extent) {
  return fillBlocking(boxMemset(To, Value, Extent));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr To, int Value, cudaExtent Extent,
                              cudaStream_t Handle) {
  return fillAsync(boxMemset(To, Value, Extent), Handle);
}

cudaError_t cudaMemPrefetchAsync(const void *Pointer, size_t Bytes, cudaMemLocation, unsigned,
                                 cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) {
    std::optional<MemoryKind> Kind = memory().kindOf(Pointer, Bytes);
    if (Kind != MemoryKind::Managed && Kind != MemoryKind::Variable)
      return cudaErrorInvalidValue;
    return submit(S, EmptyOp()).Error; // host and device share their memory
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t Handle, void *Pointer, size_t, unsigned) {
  return callOn(Handle, [&](Stream &S) {
    std::optional<Allocation> A = memory().find(Pointer);
    if (!A || A->Kind != MemoryKind::Managed)
      return cudaErrorInvalidValue;
    return submit(S, EmptyOp()).Error;
  });
}
