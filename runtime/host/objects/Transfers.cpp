//===- Transfers.cpp - Copies and sets ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/Transfers.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/objects/ModuleVariables.h"
#include "profile/Demangle.h"

namespace gmprof::host {

using log::HostWait;
using log::ObjectKind;
using What = TransferSide::What;
using Where = TransferSide::Where;

static TransferSide memorySide(const void *Pointer, uint64_t Pitch, uint64_t SlicePitch, Where In) {
  return {Pointer, Pitch, SlicePitch, 0, What::Memory, In, false};
}

static Where destinationOf(cudaMemcpyKind Kind) {
  switch (Kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDeviceToHost:
    return Where::Host;
  case cudaMemcpyHostToDevice:
  case cudaMemcpyDeviceToDevice:
    return Where::Device;
  default:
    return Where::Unknown;
  }
}

static Where sourceOf(cudaMemcpyKind Kind) {
  switch (Kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyHostToDevice:
    return Where::Host;
  case cudaMemcpyDeviceToHost:
  case cudaMemcpyDeviceToDevice:
    return Where::Device;
  default:
    return Where::Unknown;
  }
}

Transfer copyOf(const TransferSide &To, const TransferSide &From, uint64_t RowBytes,
                uint64_t Rows) {
  Transfer T;
  T.To = To;
  T.From = From;
  T.RowBytes = RowBytes;
  T.Rows = Rows;
  return T;
}

Transfer copyOf(void *To, uint64_t ToPitch, const void *From, uint64_t FromPitch, uint64_t RowBytes,
                uint64_t Rows, cudaMemcpyKind Kind) {
  return copyOf(memorySide(To, ToPitch, 0, destinationOf(Kind)),
                memorySide(From, FromPitch, 0, sourceOf(Kind)), RowBytes, Rows);
}

static TransferSide side(cudaArray_t Array, const cudaPitchedPtr &Pointer, const cudaPos &Position,
                         Where In) {
  if (Array)
    return arraySide(Array);
  TransferSide Side = memorySide(Pointer.ptr, Pointer.pitch, Pointer.pitch * Pointer.ysize, In);
  Side.Offset = Position.z * Side.SlicePitch + Position.y * Side.Pitch + Position.x;
  return Side;
}

/// Returns the size of an array's elements, the unit of the extents of copies; 0: unknown.
static uint64_t elementBytes(cudaArray_t Array) {
  cudaChannelFormatDesc Format = {};
  if (GMPROF_REAL(cudaArrayGetInfo, &Format, static_cast<cudaExtent *>(nullptr),
                  static_cast<unsigned *>(nullptr), Array) != cudaSuccess) {
    GMPROF_REAL(cudaGetLastError);
    return 0;
  }
  return static_cast<uint64_t>(Format.x + Format.y + Format.z + Format.w) / 8;
}

static Transfer copyOf(const TransferSide &To, const TransferSide &From, cudaArray_t Array,
                       const cudaExtent &Extent) {
  const uint64_t Element = Array ? elementBytes(Array) : 1;
  Transfer T = copyOf(To, From, Extent.width * std::max<uint64_t>(Element, 1), Extent.height);
  T.Slices = Extent.depth;
  T.To.Opaque |= Element == 0;
  T.From.Opaque |= Element == 0;
  return T;
}

Transfer copyOf(const cudaMemcpy3DParms &P) {
  return copyOf(side(P.dstArray, P.dstPtr, P.dstPos, destinationOf(P.kind)),
                side(P.srcArray, P.srcPtr, P.srcPos, sourceOf(P.kind)),
                P.dstArray ? P.dstArray : P.srcArray, P.extent);
}

Transfer copyOf(const cudaMemcpy3DPeerParms &P) {
  Transfer T = copyOf(side(P.dstArray, P.dstPtr, P.dstPos, Where::Device),
                      side(P.srcArray, P.srcPtr, P.srcPos, Where::Device),
                      P.dstArray ? P.dstArray : P.srcArray, P.extent);
  T.Peer = true;
  return T;
}

/// Describes a side. Lengths are in elements of the array, if there is one, else in bytes. 0: the
/// copy's length.
static TransferSide side(const cudaMemcpy3DOperand &Of, uint64_t Element, const cudaExtent &E) {
  if (Of.type == cudaMemcpyOperandTypeArray)
    return arraySide(Of.op.array.array);
  const uint64_t Pitch = (Of.op.ptr.rowLength ? Of.op.ptr.rowLength : E.width) * Element;
  const uint64_t Height = Of.op.ptr.layerHeight ? Of.op.ptr.layerHeight : E.height;
  return memorySide(Of.op.ptr.ptr, Pitch, Pitch * Height, Where::Unknown);
}

Transfer copyOf(const cudaMemcpy3DBatchOp &C) {
  auto ArrayOf = [](const cudaMemcpy3DOperand &Of) {
    return Of.type == cudaMemcpyOperandTypeArray ? Of.op.array.array : nullptr;
  };
  cudaArray_t Array = ArrayOf(C.dst) ? ArrayOf(C.dst) : ArrayOf(C.src);
  const uint64_t Element = Array ? std::max<uint64_t>(elementBytes(Array), 1) : 1;
  return copyOf(side(C.dst, Element, C.extent), side(C.src, Element, C.extent), Array, C.extent);
}

Transfer copyOf(const CUDA_MEMCPY3D_BATCH_OP &C) {
  // The driver's type has the same layout.
  cudaMemcpy3DBatchOp Copy;
  static_assert(sizeof(Copy) == sizeof(C) &&
                offsetof(cudaMemcpy3DBatchOp, extent) == offsetof(CUDA_MEMCPY3D_BATCH_OP, extent));
  std::memcpy(&Copy, &C, sizeof(Copy));
  return copyOf(Copy);
}

/// Describes a side of a copy of the driver API, whose lengths are in bytes.
static TransferSide side(CUmemorytype Type, const void *Host, CUdeviceptr Device, CUarray Array,
                         uint64_t Pitch, uint64_t Height, uint64_t Offset) {
  if (Type == CU_MEMORYTYPE_ARRAY)
    return arraySide(Array);
  const bool OnHost = Type == CU_MEMORYTYPE_HOST;
  TransferSide Side =
      memorySide(OnHost ? Host : reinterpret_cast<const void *>(Device), Pitch, Pitch * Height,
                 OnHost                         ? Where::Host
                 : Type == CU_MEMORYTYPE_DEVICE ? Where::Device
                                                : Where::Unknown);
  Side.Offset = Offset;
  return Side;
}

Transfer copyOf(const CUDA_MEMCPY2D &C) {
  return copyOf(side(C.dstMemoryType, C.dstHost, C.dstDevice, C.dstArray, C.dstPitch, 0,
                     C.dstY * C.dstPitch + C.dstXInBytes),
                side(C.srcMemoryType, C.srcHost, C.srcDevice, C.srcArray, C.srcPitch, 0,
                     C.srcY * C.srcPitch + C.srcXInBytes),
                C.WidthInBytes, C.Height);
}

template <typename Copy> static Transfer copyOf3D(const Copy &C) {
  Transfer T =
      copyOf(side(C.dstMemoryType, C.dstHost, C.dstDevice, C.dstArray, C.dstPitch, C.dstHeight,
                  (C.dstZ * C.dstHeight + C.dstY) * C.dstPitch + C.dstXInBytes),
             side(C.srcMemoryType, C.srcHost, C.srcDevice, C.srcArray, C.srcPitch, C.srcHeight,
                  (C.srcZ * C.srcHeight + C.srcY) * C.srcPitch + C.srcXInBytes),
             C.WidthInBytes, C.Height);
  T.Slices = C.Depth;
  return T;
}

Transfer copyOf(const CUDA_MEMCPY3D &C) { return copyOf3D(C); }

Transfer copyOf(const CUDA_MEMCPY3D_PEER &C) {
  Transfer T = copyOf3D(C);
  T.Peer = true;
  return T;
}

Transfer setOf(void *To, uint64_t Pitch, uint64_t RowBytes, uint64_t Rows) {
  Transfer T;
  T.Set = true;
  T.To = memorySide(To, Pitch, 0, Where::Device);
  T.RowBytes = RowBytes;
  T.Rows = Rows;
  return T;
}

Transfer setOf(const cudaPitchedPtr &To, const cudaExtent &Extent) {
  Transfer T = setOf(To.ptr, To.pitch, Extent.width, Extent.height);
  T.To.SlicePitch = To.pitch * To.ysize;
  T.Slices = Extent.depth;
  return T;
}

void noteShadowedVariable(Session &S, const void *Shadow) {
  std::optional<ShadowedVariable> Variable = shadowedVariable(Shadow);
  void *Address = nullptr;
  size_t Bytes = 0;
  if (!Variable || GMPROF_REAL(cudaGetSymbolAddress, &Address, Shadow) != cudaSuccess ||
      GMPROF_REAL(cudaGetSymbolSize, &Bytes, Shadow) != cudaSuccess)
    return;
  const auto At = reinterpret_cast<uint64_t>(Address);
  if (std::optional<LiveObject> Known = S.objects().find(At); Known && Known->Address == At)
    return;
  S.objects().noteVariable(S.driver().currentDevice(),
                           Variable->Constant ? ObjectKind::Constant : ObjectKind::GlobalVariable,
                           demangle(Variable->Symbol), At, Bytes);
}

namespace {

/// A side and its object.
struct FoundSide {
  log::CopyOperand Operand = {};
  std::optional<LiveObject> Object;

  bool is(ObjectKind Kind) const { return Object && Object->Kind == Kind; }
  bool pageable() const { return !Object && Operand.host; }
  bool onHost() const { return pageable() || is(ObjectKind::Pinned); }
  bool onDevice() const { return !onHost() && !is(ObjectKind::Managed); }
};

} // namespace

/// Returns the bytes that the side spans, including gaps.
static uint64_t extent(const Transfer &T, const TransferSide &Side) {
  return T.RowBytes + (T.Rows - 1) * Side.Pitch + (T.Slices - 1) * Side.SlicePitch;
}

static FoundSide find(Session &S, const Transfer &T, const TransferSide &Side) {
  FoundSide Found;
  auto Address = reinterpret_cast<uint64_t>(Side.Pointer);
  if (Side.Is == What::Array) {
    Found.Object = S.objects().findHandle(Address);
    Found.Operand.opaque = 1;
    Found.Operand.object = Found.Object ? Found.Object->Id : 0;
    return Found;
  }
  if (Side.Is == What::Variable) {
    void *OnDevice = nullptr;
    if (GMPROF_REAL(cudaGetSymbolAddress, &OnDevice, Side.Pointer) == cudaSuccess)
      Address = reinterpret_cast<uint64_t>(OnDevice);
    noteShadowedVariable(S, Side.Pointer);
  }
  Address += Side.Offset;
  // A part of a pool is the object only if the transfer stays in it.
  Found.Object = S.pools().find(Address);
  if (Found.is(ObjectKind::Pool) && !Found.Object->contains(Address + extent(T, Side) - 1))
    Found.Object = S.objects().find(Address);
  uint64_t Begin = Found.Object ? Found.Object->Address : Address;
  // Registered memory may have another address on the host.
  if (!Found.Object)
    Found.Object = S.objects().findHandle(Address);
  if (Found.Object) {
    Found.Operand.object = Found.Object->Id;
    Found.Operand.offset = Address - Begin;
  } else if (Side.In != Where::Device) {
    Found.Operand.offset = Address;
  }
  Found.Operand.opaque = Side.Opaque;
  Found.Operand.pitch = Side.Pitch;
  Found.Operand.slicePitch = Side.SlicePitch;
  Found.Operand.host = Found.Object ? Found.is(ObjectKind::Pinned) : Side.In != Where::Device;
  return Found;
}

static HostWait waitOf(const TransferCall &Call, const Transfer &T, const FoundSide &To,
                       const FoundSide &From) {
  if (T.Peer)
    return HostWait::None;
  if (T.Set)
    return !Call.Async && (To.is(ObjectKind::Pinned) || To.is(ObjectKind::Managed))
               ? HostWait::All
               : HostWait::None;
  if (Call.Async)
    return To.pageable() && From.onDevice() ? HostWait::All : HostWait::None;
  if (To.onHost() && From.onDevice())
    return HostWait::All;
  // A copy from pageable memory may return while the staged bytes are in flight.
  if (To.onDevice() && From.onHost())
    return From.pageable() ? HostWait::Before : HostWait::All;
  return HostWait::None;
}

/// Searches each row that a copy brings from the host to the device for addresses.
static void noteAddresses(Session &S, const Transfer &T, const FoundSide &To,
                          const FoundSide &From) {
  if (T.Set || To.onHost() || !From.onHost() || T.From.Is != What::Memory || From.Operand.opaque)
    return;
  const auto *Begin = static_cast<const char *>(T.From.Pointer) + T.From.Offset;
  bool More = true;
  for (uint64_t Slice = 0; Slice < T.Slices && More; ++Slice)
    for (uint64_t Row = 0; Row < T.Rows && More; ++Row)
      More = S.storedAddresses().look(Begin + Slice * T.From.SlicePitch + Row * T.From.Pitch,
                                      T.RowBytes);
}

log::CopyRecord transferRecord(Session &S, const TransferCall &Call, const Transfer &T) {
  FoundSide To = find(S, T, T.To), From;
  if (!T.Set)
    From = find(S, T, T.From);
  if (S.needs().Objects)
    noteAddresses(S, T, To, From);
  log::CopyRecord R = {};
  R.beginNs = Call.BeginNs;
  R.endNs = steadyNs();
  R.stream = reinterpret_cast<uint64_t>(Call.Stream);
  R.rowBytes = T.RowBytes;
  R.rows = T.Rows;
  R.slices = T.Slices;
  R.to = To.Operand;
  R.from = From.Operand;
  R.wait = waitOf(Call, T, To, From);
  R.set = T.Set;
  R.peer = T.Peer && !Call.Async;
  R.device = static_cast<uint32_t>(S.driver().currentDevice());
  R.callPath = S.callPaths().find(Call.Caller);
  R.thread = threadId();
  return R;
}

/// Adds the destination, which is in L2 after the copy, to the cache trace.
static void noteWritten(Session &S, CacheTrace &Trace, const Transfer &T) {
  const FoundSide To = find(S, T, T.To);
  if (To.Object && To.onDevice() && !To.Operand.opaque)
    Trace.written(To.Object->Device, {To.Object->Address + To.Operand.offset, extent(T, T.To)});
}

log::CopyRecord recordTransfer(Session &S, const TransferCall &Call, const Transfer &T) {
  if (T.RowBytes == 0 || T.Rows == 0 || T.Slices == 0)
    return {};
  const log::CopyRecord R = transferRecord(S, Call, T);
  if (Call.Async && S.capturing(Call.Stream)) {
    S.graphNodes().capturedTransfer(Call.Stream, R, Call.Api);
    return R;
  }
  S.log().copy(R, Call.Api);
  if (CacheTrace *Trace = S.trace())
    noteWritten(S, *Trace, T);
  return R;
}

} // namespace gmprof::host
