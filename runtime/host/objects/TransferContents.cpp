//===- TransferContents.cpp - Hashes of copied contents -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/TransferContents.h"
#include "host/core/Device.h"
#include "host/core/RuntimeApi.h"
#include <algorithm>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gmprof::host {

using log::CopyDirection;
using log::ObjectKind;

TransferContents::Bytes TransferContents::sideOf(const Transfer &T,
                                                 const TransferSide &Side) const {
  Bytes B;
  B.Address = reinterpret_cast<uint64_t>(Side.Pointer);
  if (Side.Is == TransferSide::What::Array || Side.Opaque)
    return B;
  if (Side.Is == TransferSide::What::Variable) {
    void *OnDevice = nullptr;
    if (GMPROF_REAL(cudaGetSymbolAddress, &OnDevice, Side.Pointer) != cudaSuccess) {
      GMPROF_REAL(cudaGetLastError);
      return B;
    }
    B.Address = reinterpret_cast<uint64_t>(OnDevice);
  }
  B.Known = true;
  B.Address += Side.Offset;
  B.RowBytes = T.RowBytes;
  B.Rows = T.Rows;
  B.Slices = T.Slices;
  B.Pitch = Side.Pitch;
  B.SlicePitch = Side.SlicePitch;
  std::optional<LiveObject> Object = Live.find(B.Address);
  B.Object = Object ? Object->Id : 0;
  B.OnHost =
      Object ? Object->Kind == ObjectKind::Pinned
             : Side.In != TransferSide::Where::Device && Side.Is != TransferSide::What::Variable;
  return B;
}

/// Reads device memory into the page-locked buffer.
bool TransferContents::readDevice(uint64_t Address, uint64_t Count) {
  if (!Reader && Api.cuStreamCreate(&Reader, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return false;
  if (!Part && Api.cuMemAllocHost(&Part, PartBytes) != CUDA_SUCCESS)
    return false;
  return Api.cuMemcpyDtoHAsync(Part, Address, Count, Reader) == CUDA_SUCCESS &&
         Api.cuStreamSynchronize(Reader) == CUDA_SUCCESS;
}

std::optional<TransferContents::Hash> TransferContents::hash(const Bytes &B, cudaStream_t Stream) {
  if (!B.Known || Which == Of::Nothing || (!B.OnHost && Which != Of::All))
    return std::nullopt;
  XXH3_state_t State;
  XXH3_128bits_reset(&State);
  std::lock_guard<std::mutex> Guard(Lock);
  RelaxedCapture Relaxed(Api);
  if (!B.OnHost && Api.cuStreamSynchronize(Stream) != CUDA_SUCCESS)
    return std::nullopt;
  const bool OnePiece = (B.Rows == 1 || B.Pitch == B.RowBytes) &&
                        (B.Slices == 1 || B.SlicePitch == B.RowBytes * B.Rows);
  const uint64_t RowBytes = OnePiece ? B.total() : B.RowBytes;
  for (uint64_t Row = 0; Row < (OnePiece ? 1 : B.Rows * B.Slices); ++Row) {
    const uint64_t Begin = B.Address + Row / B.Rows * B.SlicePitch + Row % B.Rows * B.Pitch;
    if (B.OnHost) {
      XXH3_128bits_update(&State, reinterpret_cast<const void *>(Begin), RowBytes);
      continue;
    }
    for (uint64_t Done = 0; Done < RowBytes; Done += PartBytes) {
      const uint64_t Count = std::min<uint64_t>(RowBytes - Done, PartBytes);
      if (!readDevice(Begin + Done, Count))
        return std::nullopt;
      XXH3_128bits_update(&State, Part, Count);
    }
  }
  const XXH128_hash_t Result = XXH3_128bits_digest(&State);
  return Hash{Result.low64, Result.high64};
}

void TransferContents::before(Before &B, cudaStream_t Stream) {
  if (!B.To.Known || !B.From.Known)
    return;
  B.Source = hash(B.From, Stream);
  B.Destination = hash(B.To, Stream);
}

static CopyDirection directionOf(bool FromHost, bool ToHost) {
  if (FromHost)
    return ToHost ? CopyDirection::HostToHost : CopyDirection::HostToDevice;
  return ToHost ? CopyDirection::DeviceToHost : CopyDirection::DeviceToDevice;
}

void TransferContents::after(const Before &B, uint64_t Operation, cudaStream_t Stream, bool Ended) {
  if (Which == Of::Nothing)
    return;
  if (!B.To.Known || !B.From.Known) {
    Log.gap("copies", "the contents of arrays for textures are not compared", 1);
    return;
  }
  std::optional<Hash> Moved = B.Source;
  if (!Moved && Ended)
    Moved = hash(B.To, Stream);
  if (!Moved)
    return;
  log::ContentRecord R = {};
  R.operation = Operation;
  R.bytes = B.To.total();
  R.hash[0] = (*Moved)[0];
  R.hash[1] = (*Moved)[1];
  R.destination = B.To.Address;
  R.object = B.To.Object;
  R.direction = directionOf(B.From.OnHost, B.To.OnHost);
  R.identical = !B.Destination ? 2 : *B.Destination == *Moved ? 1 : 0;
  Log.content(R);
}

} // namespace gmprof::host
