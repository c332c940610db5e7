//===- Arrays.cpp - Arrays, textures and surfaces -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arrays.h"
#include "cpu/api/Device.h"
#include "cpu/api/Errors.h"
#include "cpu/api/Memory.h"
#include <algorithm>

namespace gmprof::cpu::api {

namespace {

constexpr unsigned ArrayFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

/// Nothing if there are no such texels: one, two or four channels of 8, 16 or 32 bits.
std::optional<TexelMemory> texelsOf(const cudaChannelFormatDesc &F) {
  TexelMemory T;
  const int Bits[] = {F.x, F.y, F.z, F.w};
  T.Channels = static_cast<uint8_t>(std::count_if(Bits, Bits + 4, [](int B) { return B != 0; }));
  T.ChannelBytes = static_cast<uint8_t>(F.x / 8);
  const bool Alike = std::all_of(Bits, Bits + T.Channels, [&](int B) { return B == F.x; });
  if (!Alike || (T.Channels != 1 && T.Channels != 2 && T.Channels != 4) ||
      (F.x != 8 && F.x != 16 && F.x != 32))
    return std::nullopt;
  switch (F.f) {
  case cudaChannelFormatKindUnsigned:
    T.Format = TexelFormat::Unsigned;
    return T;
  case cudaChannelFormatKindSigned:
    T.Format = TexelFormat::Signed;
    return T;
  case cudaChannelFormatKindFloat:
    T.Format = TexelFormat::Float;
    return F.x == 8 ? std::nullopt : std::optional(T);
  default:
    return std::nullopt;
  }
}

uint32_t atLeastOne(size_t Size) { return static_cast<uint32_t>(std::max<size_t>(Size, 1)); }

/// The texels of a resource; an error where the CPU device has no such thing.
Result<TexelMemory> texelsOf(const cudaResourceDesc &R) {
  switch (R.resType) {
  case cudaResourceTypeArray: {
    std::shared_ptr<Array> A = arrays().find(R.res.array.array);
    return A ? Result(A->Texels) : cudaErrorInvalidValue;
  }
  case cudaResourceTypeLinear: {
    std::optional<TexelMemory> T = texelsOf(R.res.linear.desc);
    if (!T)
      return cudaErrorInvalidChannelDescriptor;
    T->Data = static_cast<char *>(R.res.linear.devPtr);
    T->Width = static_cast<uint32_t>(R.res.linear.sizeInBytes / T->texelBytes());
    T->RowBytes = T->SliceBytes = R.res.linear.sizeInBytes;
    return *T;
  }
  case cudaResourceTypePitch2D: {
    std::optional<TexelMemory> T = texelsOf(R.res.pitch2D.desc);
    if (!T)
      return cudaErrorInvalidChannelDescriptor;
    T->Data = static_cast<char *>(R.res.pitch2D.devPtr);
    T->Width = static_cast<uint32_t>(R.res.pitch2D.width);
    T->Height = static_cast<uint32_t>(R.res.pitch2D.height);
    T->RowBytes = R.res.pitch2D.pitchInBytes;
    T->SliceBytes = T->RowBytes * T->Height;
    return *T;
  }
  default:
    complainThatItLacks("a texture or surface of a mipmapped array");
    return cudaErrorNotSupported;
  }
}

/// Whether all of the texels are in memory that device code may read.
bool areThere(const TexelMemory &T) {
  const size_t Bytes =
      (T.Depth - 1) * T.SliceBytes + (T.Height - 1) * T.RowBytes + T.Width * T.texelBytes();
  if (!T.Data || T.Width == 0 || T.Height == 0)
    return false;
  const std::optional<MemoryKind> Kind = memory().kindOf(T.Data, Bytes);
  return Kind && *Kind != MemoryKind::Pageable;
}

AddressMode addressMode(cudaTextureAddressMode Mode) {
  switch (Mode) {
  case cudaAddressModeWrap:
    return AddressMode::Wrap;
  case cudaAddressModeMirror:
    return AddressMode::Mirror;
  case cudaAddressModeBorder:
    return AddressMode::Border;
  default:
    return AddressMode::Clamp;
  }
}

/// Puts the memory of one side's array in the array's place.
bool resolve(cudaArray_t &Handle, cudaPos &At, cudaPitchedPtr &Memory, const cudaExtent &Texels) {
  std::shared_ptr<Array> A = arrays().find(Handle);
  if (!A)
    return false;
  const TexelMemory &T = A->Texels;
  if (At.x + Texels.width > T.Width || At.y + Texels.height > T.Height ||
      At.z + Texels.depth > T.Depth)
    return false;
  Memory = {T.Data, T.RowBytes, T.RowBytes, T.Height};
  At.x *= T.texelBytes();
  Handle = nullptr;
  return true;
}

bool copyAt(cudaArray_t &Handle, cudaPos &Position, cudaExtent &Extent, const ArrayPlace &At,
            const Rows &R) {
  const size_t Bytes = texelBytes(At.Handle);
  if (!arrays().find(At.Handle) || At.X % Bytes != 0 || R.Bytes % Bytes != 0)
    return false;
  Handle = const_cast<cudaArray_t>(At.Handle);
  Position = {At.X / Bytes, At.Y, 0};
  Extent = {R.Bytes / Bytes, R.Count, 1};
  return true;
}

} // namespace

HandleTable<Array> &arrays() {
  static auto &Table = *new HandleTable<Array>; // outlives every thread
  return Table;
}

HandleTable<Texture> &textures() {
  static auto &Table = *new HandleTable<Texture>;
  return Table;
}

HandleTable<Texture> &surfaces() {
  static auto &Table = *new HandleTable<Texture>;
  return Table;
}

size_t texelBytes(cudaArray_const_t Handle) {
  std::shared_ptr<Array> A = arrays().find(Handle);
  return A ? A->Texels.texelBytes() : 1;
}

Result<std::shared_ptr<Array>> makeArray(const cudaChannelFormatDesc &Format,
                                         const cudaExtent &Extent, unsigned Flags,
                                         const char *Origin) {
  std::optional<TexelMemory> Texels = texelsOf(Format);
  if (!Texels)
    return cudaErrorInvalidChannelDescriptor;
  const bool Cube = Flags & cudaArrayCubemap;
  const bool WholeCubes = Flags & cudaArrayLayered ? Extent.depth % 6 == 0 : Extent.depth == 6;
  if ((Flags & ~ArrayFlags) || Extent.width == 0 ||
      (Cube && (Extent.width != Extent.height || !WholeCubes)))
    return cudaErrorInvalidValue;
  auto A = std::make_shared<Array>(Array{Format, Extent, Flags, currentDeviceIndex(), *Texels});
  TexelMemory &T = A->Texels;
  T.Width = atLeastOne(Extent.width);
  T.Height = atLeastOne(Extent.height);
  T.Depth = atLeastOne(Extent.depth);
  T.RowBytes = T.Width * T.texelBytes();
  T.SliceBytes = T.Height * T.RowBytes;
  T.Data = static_cast<char *>(
      memory().allocate(T.Depth * T.SliceBytes, MemoryKind::Device, A->Device, Origin));
  return T.Data ? Result(A) : cudaErrorMemoryAllocation;
}

std::optional<Rows> rowsFrom(const ArrayPlace &At, size_t Bytes) {
  std::shared_ptr<Array> A = arrays().find(At.Handle);
  if (!A)
    return std::nullopt;
  const size_t Row = A->Texels.RowBytes;
  if (At.X + Bytes <= Row)
    return Rows{Bytes, 1};
  return At.X == 0 && Bytes % Row == 0 ? std::optional(Rows{Row, Bytes / Row}) : std::nullopt;
}

bool copyTo(cudaMemcpy3DParms &P, const ArrayPlace &To, const Rows &R) {
  return copyAt(P.dstArray, P.dstPos, P.extent, To, R);
}

bool copyFrom(cudaMemcpy3DParms &P, const ArrayPlace &From, const Rows &R) {
  return copyAt(P.srcArray, P.srcPos, P.extent, From, R);
}

std::optional<cudaMemcpy3DParms> withoutArrays(cudaMemcpy3DParms P) {
  if (!P.srcArray && !P.dstArray)
    return P;
  // With an array, extents and the places in arrays count texels.
  const size_t Bytes = texelBytes(P.srcArray ? P.srcArray : P.dstArray);
  if (P.srcArray && P.dstArray && texelBytes(P.dstArray) != Bytes)
    return std::nullopt;
  if ((P.srcArray && !resolve(P.srcArray, P.srcPos, P.srcPtr, P.extent)) ||
      (P.dstArray && !resolve(P.dstArray, P.dstPos, P.dstPtr, P.extent)))
    return std::nullopt;
  P.extent.width *= Bytes;
  return P;
}

Result<std::shared_ptr<Texture>> makeTexture(const cudaResourceDesc &Resource,
                                             const cudaTextureDesc &Description) {
  Result<TexelMemory> Texels = texelsOf(Resource);
  if (!Texels)
    return Texels.Error;
  if (!areThere(Texels.Value))
    return cudaErrorInvalidValue;
  if (Description.sRGB) {
    complainThatItLacks("a texture that converts from sRGB");
    return cudaErrorNotSupported;
  }
  auto T = std::make_shared<Texture>();
  T->Resource = Resource;
  T->Description = Description;
  TextureObject &O = T->Object;
  O.Texels = Texels.Value;
  for (unsigned D = 0; D != 3; ++D)
    O.Address[D] = addressMode(Description.addressMode[D]);
  O.Linear = Description.filterMode == cudaFilterModeLinear;
  O.Normalized = Description.normalizedCoords != 0;
  // Integers of 32 bits are never promoted.
  O.ReadsNormalized = Description.readMode == cudaReadModeNormalizedFloat &&
                      O.Texels.Format != TexelFormat::Float && O.Texels.ChannelBytes < 4;
  std::copy_n(Description.borderColor, 4, O.Border);
  if (O.Linear && O.Texels.Format != TexelFormat::Float && !O.ReadsNormalized)
    return cudaErrorInvalidFilterSetting;
  return T;
}

Result<std::shared_ptr<Texture>> makeSurface(const cudaResourceDesc &Resource) {
  std::shared_ptr<Array> A =
      Resource.resType == cudaResourceTypeArray ? arrays().find(Resource.res.array.array) : nullptr;
  if (!A || !(A->Flags & cudaArraySurfaceLoadStore))
    return cudaErrorInvalidValue;
  auto S = std::make_shared<Texture>();
  S->Resource = Resource;
  S->Object.Texels = A->Texels;
  return S;
}

} // namespace gmprof::cpu::api
