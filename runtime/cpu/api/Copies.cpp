//===- Copies.cpp - Copies and memsets ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Copies.h"
#include "cpu/api/Arrays.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Device.h"
#include <algorithm>
#include <cstring>

extern "C" __attribute__((weak)) bool __gmprof_copy_anyway(void *, const void *, size_t);

namespace gmprof::cpu::api {

namespace {

constexpr size_t StagedBytes = size_t(1) << 20;

/// One side of a copy.
struct Box {
  char *Start;
  size_t Pitch, SliceBytes;

  Box(const cudaPitchedPtr &P, const cudaPos &Position)
      : Start(static_cast<char *>(P.ptr)), Pitch(P.pitch), SliceBytes(P.pitch * P.ysize) {
    Start += Position.z * SliceBytes + Position.y * Pitch + Position.x;
  }

  size_t span(const cudaExtent &E) const {
    return (E.depth - 1) * SliceBytes + (E.height - 1) * Pitch + E.width;
  }
  char *row(size_t Y, size_t Z) const { return Start + Z * SliceBytes + Y * Pitch; }
};

bool isEmpty(const cudaExtent &E) { return E.width == 0 || E.height == 0 || E.depth == 0; }

bool hostOnly(MemoryKind Kind) {
  return Kind == MemoryKind::Pageable || Kind == MemoryKind::Pinned ||
         Kind == MemoryKind::Registered;
}

bool deviceOnly(MemoryKind Kind) {
  return Kind == MemoryKind::Device || Kind == MemoryKind::Variable;
}

/// Checks the direction: only pageable memory cannot stand for device memory.
cudaError_t checkDirection(cudaMemcpyKind Kind, const CopySides &Sides) {
  bool ToDevice = Kind == cudaMemcpyHostToDevice || Kind == cudaMemcpyDeviceToDevice;
  bool FromDevice = Kind == cudaMemcpyDeviceToHost || Kind == cudaMemcpyDeviceToDevice;
  if ((ToDevice && Sides.To == MemoryKind::Pageable) ||
      (FromDevice && Sides.From == MemoryKind::Pageable))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

bool pitchHolds(const cudaPitchedPtr &P, const cudaPos &Position, const cudaExtent &E) {
  return E.width <= P.pitch && Position.x <= P.pitch - E.width;
}

bool slicesHold(const cudaPitchedPtr &P, const cudaPos &Position, const cudaExtent &E) {
  return E.depth == 1 || Position.y + E.height <= P.ysize;
}

/// Returns the kind of memory that contains a box; nothing if the box exceeds its allocation.
std::optional<MemoryKind> kindOfBox(const Box &B, size_t Bytes) {
  return B.Start ? memory().kindOf(B.Start, Bytes) : std::nullopt;
}

/// Copies the source of an operation to a staging buffer. A copy to an array is staged in the
/// layout of its source.
void stage(CopyOp &Op, const cudaExtent &E) {
  cudaMemcpy3DParms &P = Op.Params;
  Box From(P.srcPtr, P.srcPos);
  Op.Staged = std::make_shared<std::vector<std::byte>>(E.width * E.height * E.depth);
  char *Out = reinterpret_cast<char *>(Op.Staged->data());
  for (size_t Z = 0; Z != E.depth; ++Z)
    for (size_t Y = 0; Y != E.height; ++Y, Out += E.width)
      memcpy(Out, From.row(Y, Z), E.width);
  P.srcPos = {};
  P.srcPtr = {Op.Staged->data(), E.width, E.width, E.height};
}

template <typename T> void fillRow(char *Row, unsigned Value, size_t Count) {
  T *Elements = reinterpret_cast<T *>(Row);
  std::fill_n(Elements, Count, static_cast<T>(Value));
}

size_t memsetSpan(const MemsetOp &Op) {
  const cudaMemsetParams &P = Op.Params;
  return (Op.Depth - 1) * Op.SliceBytes + (P.height - 1) * P.pitch + P.width * P.elementSize;
}

bool isEmpty(const MemsetOp &Op) {
  return Op.Params.width == 0 || Op.Params.height == 0 || Op.Depth == 0;
}

} // namespace

CopyOp linearCopy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return pitchedCopy(To, Bytes, From, Bytes, Bytes, 1, Kind);
}

CopyOp pitchedCopy(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                   size_t Height, cudaMemcpyKind Kind) {
  CopyOp Op;
  Op.Params.srcPtr = {const_cast<void *>(From), FromPitch, Width, Height};
  Op.Params.dstPtr = {To, ToPitch, Width, Height};
  Op.Params.extent = {Width, Height, 1};
  Op.Params.kind = Kind;
  return Op;
}

MemsetOp linearMemset(void *To, int Value, size_t Bytes) {
  return {{To, Bytes, static_cast<unsigned>(Value) & 0xff, 1, Bytes, 1}, 1, 0};
}

cudaError_t checkCopy(const cudaMemcpy3DParms &Of, CopySides &Sides) {
  if (Of.kind < cudaMemcpyHostToHost || Of.kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const std::optional<cudaMemcpy3DParms> Resolved = withoutArrays(Of);
  if (!Resolved)
    return cudaErrorInvalidValue;
  const cudaMemcpy3DParms &P = *Resolved;
  if (isEmpty(P.extent))
    return cudaSuccess;
  if (!pitchHolds(P.srcPtr, P.srcPos, P.extent) || !pitchHolds(P.dstPtr, P.dstPos, P.extent))
    return cudaErrorInvalidPitchValue;
  if (!slicesHold(P.srcPtr, P.srcPos, P.extent) || !slicesHold(P.dstPtr, P.dstPos, P.extent))
    return cudaErrorInvalidValue;
  Box From(P.srcPtr, P.srcPos), To(P.dstPtr, P.dstPos);
  if (!P.srcPtr.ptr || !P.dstPtr.ptr)
    return cudaErrorInvalidValue;
  std::optional<MemoryKind> FromKind = kindOfBox(From, From.span(P.extent));
  std::optional<MemoryKind> ToKind = kindOfBox(To, To.span(P.extent));
  if (!FromKind || !ToKind)
    return cudaErrorInvalidValue;
  Sides = {*FromKind, *ToKind};
  return checkDirection(P.kind, Sides);
}

cudaError_t checkMemset(const MemsetOp &Op, MemoryKind &To) {
  const cudaMemsetParams &P = Op.Params;
  if (P.elementSize != 1 && P.elementSize != 2 && P.elementSize != 4)
    return cudaErrorInvalidValue;
  if (isEmpty(Op))
    return cudaSuccess;
  if ((P.height > 1 || Op.Depth > 1) && P.width * P.elementSize > P.pitch)
    return cudaErrorInvalidValue;
  if (!P.dst || reinterpret_cast<uintptr_t>(P.dst) % P.elementSize != 0)
    return cudaErrorInvalidValue;
  std::optional<MemoryKind> Kind = memory().kindOf(P.dst, memsetSpan(Op));
  if (!Kind || *Kind == MemoryKind::Pageable)
    return cudaErrorInvalidValue;
  To = *Kind;
  return cudaSuccess;
}

cudaError_t copy(Stream &S, CopyOp Op, bool Blocking) {
  CopySides Sides;
  if (cudaError_t Error = checkCopy(Op.Params, Sides))
    return Error;
  if (isEmpty(Op.Params.extent) && !isCapturing(S))
    return cudaSuccess;
  bool Wait;
  if (Blocking) {
    Wait = !deviceOnly(Sides.From) || !deviceOnly(Sides.To);
  } else {
    const cudaExtent E = withoutArrays(Op.Params).value_or(Op.Params).extent;
    bool FromPageable = Sides.From == MemoryKind::Pageable;
    bool Small = E.width * E.height * E.depth <= StagedBytes;
    Wait = Sides.To == MemoryKind::Pageable || (hostOnly(Sides.From) && hostOnly(Sides.To)) ||
           (FromPageable && !Small);
    if (FromPageable && !Wait && !isCapturing(S))
      stage(Op, E);
  }
  return Wait ? submitAndWait(S, std::move(Op)) : submit(S, std::move(Op)).Error;
}

cudaError_t fill(Stream &S, MemsetOp Op, bool Blocking) {
  MemoryKind To = MemoryKind::Device;
  if (cudaError_t Error = checkMemset(Op, To))
    return Error;
  if (isEmpty(Op) && !isCapturing(S))
    return cudaSuccess;
  return Blocking && !deviceOnly(To) ? submitAndWait(S, Op) : submit(S, Op).Error;
}

static void copyRow(void *To, const void *From, size_t Bytes) {
  // libgmprof.so may have made the memory inaccessible to the program.
  if (!__gmprof_copy_anyway || !__gmprof_copy_anyway(To, From, Bytes))
    memmove(To, From, Bytes);
}

bool executeCopy(const CopyOp &Op) {
  const std::optional<cudaMemcpy3DParms> Resolved = withoutArrays(Op.Params);
  if (!Resolved)
    return false;
  const cudaMemcpy3DParms &P = *Resolved;
  const cudaExtent &E = P.extent;
  if (isEmpty(E))
    return true;
  Box From(P.srcPtr, P.srcPos), To(P.dstPtr, P.dstPos);
  if (!kindOfBox(From, From.span(E)) || !kindOfBox(To, To.span(E)))
    return false;
  for (size_t Z = 0; Z != E.depth; ++Z)
    for (size_t Y = 0; Y != E.height; ++Y)
      copyRow(To.row(Y, Z), From.row(Y, Z), E.width);
  return true;
}

bool executeMemset(const MemsetOp &Op) {
  const cudaMemsetParams &P = Op.Params;
  if (isEmpty(Op))
    return true;
  if (!memory().kindOf(P.dst, memsetSpan(Op)))
    return false;
  for (size_t Z = 0; Z != Op.Depth; ++Z)
    for (size_t Y = 0; Y != P.height; ++Y) {
      char *Row = static_cast<char *>(P.dst) + Z * Op.SliceBytes + Y * P.pitch;
      if (P.elementSize == 1)
        memset(Row, static_cast<int>(P.value), P.width);
      else if (P.elementSize == 2)
        fillRow<uint16_t>(Row, P.value, P.width);
      else
        fillRow<uint32_t>(Row, P.value, P.width);
    }
  return true;
}

} // namespace gmprof::cpu::api
