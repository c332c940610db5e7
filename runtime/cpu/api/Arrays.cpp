//===- Arrays.cpp - Arrays, textures and surfaces -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arrays.h"
#include "cpu/api/Architecture.h"
#include "cpu/api/Device.h"
#include "cpu/api/Errors.h"
#include "cpu/api/Memory.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

namespace gmprof::cpu::api {

namespace {

constexpr unsigned ArrayFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

/// Returns the texel format; nothing if it is unsupported. Supported are one, two or four channels
/// of 8, 16 or 32 bits.
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

const cudaDeviceProp &limits() {
  static const cudaDeviceProp Properties = deviceProperties(0);
  return Properties;
}

bool isWithin(const cudaExtent &E, size_t Width, size_t Height, size_t Depth) {
  return E.width <= Width && E.height <= Height && E.depth <= Depth;
}

bool isWithin(const cudaExtent &E, const int (&Largest)[3]) {
  return isWithin(E, Largest[0], Largest[1], Largest[2]);
}

/// Returns whether the extent is valid for cubes, each of which has six layers.
bool canBeCubes(const cudaExtent &E, bool Layered) {
  const auto [Width, Layers] = limits().maxTextureCubemapLayered;
  return E.width == E.height && E.depth > 0 && E.depth % 6 == 0 &&
         isWithin(E, Width, Width, Layered ? Layers : 6);
}

bool canBeLayers(const cudaExtent &E) {
  const cudaDeviceProp &P = limits();
  return E.depth > 0 &&
         (E.height > 0 ? isWithin(E, P.maxTexture2DLayered)
                       : isWithin(E, P.maxTexture1DLayered[0], 0, P.maxTexture1DLayered[1]));
}

/// Returns whether an array of this extent is valid.
bool canBe(const cudaExtent &E, unsigned Flags) {
  const cudaDeviceProp &P = limits();
  const bool Surface = Flags & cudaArraySurfaceLoadStore, Gather = Flags & cudaArrayTextureGather;
  if (E.width == 0)
    return false;
  if (Flags & cudaArrayCubemap)
    return canBeCubes(E, Flags & cudaArrayLayered);
  if (Flags & cudaArrayLayered)
    return canBeLayers(E);
  if (E.depth > 0)
    return !Gather && E.height > 0 &&
           (isWithin(E, P.maxTexture3D) || (!Surface && isWithin(E, P.maxTexture3DAlt)));
  if (E.height > 0) {
    const int (&Largest)[2] = Gather ? P.maxTexture2DGather : P.maxTexture2D;
    return isWithin(E, Largest[0], Largest[1], 0);
  }
  return !Gather && isWithin(E, Surface ? P.maxSurface1D : P.maxTexture1D, 0, 0);
}

/// Returns whether texels in memory may start at this address: at a multiple of textureAlignment
/// from the start of the allocation, which itself is aligned on a GPU unless it is registered host
/// memory.
bool mayBegin(const void *Start) {
  const std::optional<Allocation> A = memory().find(Start);
  const uintptr_t Base = A && A->Kind != MemoryKind::Registered ? A->Base : 0;
  return Start && (reinterpret_cast<uintptr_t>(Start) - Base) % TextureAlignment == 0;
}

/// Returns whether memory is unregistered host memory, which device code cannot read.
bool isOfHost(const void *Start) {
  return memory().kindOf(Start, 1).value_or(MemoryKind::Pageable) == MemoryKind::Pageable;
}

Result<TexelMemory> texelsOf(const decltype(cudaResourceDesc::res.linear) &Linear) {
  std::optional<TexelMemory> T = texelsOf(Linear.desc);
  if (!T)
    return cudaErrorInvalidChannelDescriptor;
  if (!mayBegin(Linear.devPtr) || Linear.sizeInBytes > UINT32_MAX)
    return cudaErrorInvalidValue;
  T->Data = static_cast<char *>(Linear.devPtr);
  T->Width = static_cast<uint32_t>(Linear.sizeInBytes / T->texelBytes());
  T->RowBytes = T->SliceBytes = Linear.sizeInBytes;
  return *T;
}

Result<TexelMemory> texelsOf(const decltype(cudaResourceDesc::res.pitch2D) &Pitched) {
  std::optional<TexelMemory> T = texelsOf(Pitched.desc);
  if (!T)
    return cudaErrorInvalidChannelDescriptor;
  const size_t Sizes[] = {Pitched.width, Pitched.height, Pitched.pitchInBytes};
  if (!mayBegin(Pitched.devPtr) || Pitched.pitchInBytes % TexturePitchAlignment != 0 ||
      !std::equal(Sizes, Sizes + 3, limits().maxTexture2DLinear, std::less_equal<>()))
    return cudaErrorInvalidValue;
  T->Data = static_cast<char *>(Pitched.devPtr);
  T->Width = static_cast<uint32_t>(Pitched.width);
  T->Height = static_cast<uint32_t>(Pitched.height);
  T->RowBytes = Pitched.pitchInBytes;
  T->SliceBytes = T->RowBytes * T->Height;
  return *T;
}

/// Returns the texels of a resource, or an error if it is invalid.
Result<TexelMemory> texelsOf(const cudaResourceDesc &R) {
  switch (R.resType) {
  case cudaResourceTypeArray: {
    std::shared_ptr<Array> A = arrays().find(R.res.array.array);
    return A ? Result(A->Texels) : cudaErrorInvalidValue;
  }
  case cudaResourceTypeLinear:
    return texelsOf(R.res.linear);
  case cudaResourceTypePitch2D:
    return texelsOf(R.res.pitch2D);
  default:
    complainThatItLacks("a texture or surface of a mipmapped array");
    return cudaErrorNotSupported;
  }
}

/// Converts to half precision, rounding towards zero, so that finite numbers stay finite.
uint16_t halfBits(float X) {
  const _Float16 Nearest = static_cast<_Float16>(X);
  const auto Bits = std::bit_cast<uint16_t>(Nearest);
  return static_cast<uint16_t>(std::fabs(static_cast<float>(Nearest)) > std::fabs(X) ? Bits - 1
                                                                                     : Bits);
}

/// Returns a channel of the border colour in the texels' format. Channels of 8 bits are the upper
/// half of 16 bits; signed numbers are rounded, others truncated.
uint32_t borderChannel(const TexelMemory &I, bool ReadsNormalized, float X) {
  const bool IsByte = I.ChannelBytes == 1;
  if (I.Format == TexelFormat::Float && I.ChannelBytes == 2)
    return halfBits(X);
  if (!ReadsNormalized)
    return std::bit_cast<uint32_t>(X); // the low bits of an integer
  if (std::isnan(X))
    return 0;
  if (I.Format == TexelFormat::Signed) {
    const long Wide = std::lround(std::clamp(X, -1.0f, 1.0f) * 32767);
    return static_cast<uint32_t>(IsByte ? Wide / 256 : Wide);
  }
  const auto Wide = static_cast<uint32_t>(std::clamp(X, 0.0f, 1.0f) * 65535);
  return IsByte ? Wide / 256 : Wide;
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

/// Replaces one side's array by its memory.
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
  if ((Flags & ~ArrayFlags) || !canBe(Extent, Flags))
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
  // Extents and positions are in texels if an array takes part.
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
  O.ReadsNormalized =
      Description.readMode == cudaReadModeNormalizedFloat && O.Texels.Format != TexelFormat::Float;
  O.OneByOne = Resource.resType == cudaResourceTypeLinear;
  O.OfHost = isOfHost(O.Texels.Data);
  const bool Wide = O.Texels.ChannelBytes == 4;
  if (O.Linear && O.Texels.Format != TexelFormat::Float && (!O.ReadsNormalized || Wide))
    return cudaErrorInvalidFilterSetting;
  if (O.ReadsNormalized && Wide)
    return cudaErrorInvalidNormSetting;
  for (unsigned I = 0; I != O.Texels.Channels; ++I) {
    const uint32_t Bits = borderChannel(O.Texels, O.ReadsNormalized, Description.borderColor[I]);
    std::memcpy(O.Border + I * O.Texels.ChannelBytes, &Bits, O.Texels.ChannelBytes);
  }
  return T;
}

Result<std::shared_ptr<Texture>> makeSurface(const cudaResourceDesc &Resource) {
  std::shared_ptr<Array> A =
      Resource.resType == cudaResourceTypeArray ? arrays().find(Resource.res.array.array) : nullptr;
  if (!A)
    return cudaErrorInvalidValue;
  auto S = std::make_shared<Texture>();
  S->Resource = Resource;
  S->Object.Texels = A->Texels;
  return S;
}

} // namespace gmprof::cpu::api
