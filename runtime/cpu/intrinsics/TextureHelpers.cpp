//===- TextureHelpers.cpp - Fetches from textures and surfaces ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, "Texture Fetching". A coordinate x of N texels lies
// between the centres of texels i and i + 1, i = floor(x - 0.5), and counts for the
// second with the weight x - 0.5 - i, of which hardware keeps 8 bits behind the point
// ("1.0 is exactly represented"): the nearest such number. Without filtering it is
// texel floor(x). Addresses of texels are brought into range one by one.
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "cpu/Engine.h"
#include "cpu/Texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gmprof::cpu {

namespace {

/// Four channels, as hardware returns them: float bits or integers.
struct Texel {
  uint32_t Words[4] = {};
};
struct Color {
  float Channels[4] = {};
};

const TextureObject &object(uint64_t Handle) {
  const auto *T = reinterpret_cast<const TextureObject *>(Handle);
  if (Handle % alignof(TextureObject) == 0 && T->Mark == TextureObject::Magic)
    return *T;
  raiseFault(FaultKind::IllegalAddress, Handle, "the handle is no texture or surface");
}

/// The whole number, within what 32 bits hold; 0 for NaN.
int64_t whole(float X) {
  constexpr float Limit = 2147483648.0f;
  return std::isnan(X) ? 0 : int64_t(std::clamp(X, -Limit, Limit));
}

//===----------------------------------------------------------------------===//
// Texels
//===----------------------------------------------------------------------===//

template <typename T> T load(const char *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return Value;
}

int32_t loadSigned(const char *From, unsigned Bytes) {
  return Bytes == 1 ? load<int8_t>(From) : Bytes == 2 ? load<int16_t>(From) : load<int32_t>(From);
}

uint32_t loadUnsigned(const char *From, unsigned Bytes) {
  return Bytes == 1   ? load<uint8_t>(From)
         : Bytes == 2 ? load<uint16_t>(From)
                      : load<uint32_t>(From);
}

float loadFloat(const char *From, unsigned Bytes) {
  return Bytes == 2 ? float(load<_Float16>(From)) : load<float>(From);
}

/// A channel as a number between 0 or -1 and 1.
float loadFraction(const char *From, const TexelMemory &I) {
  const auto Largest = float((1u << (8 * I.ChannelBytes - (I.Format == TexelFormat::Signed))) - 1);
  if (I.Format == TexelFormat::Unsigned)
    return float(loadUnsigned(From, I.ChannelBytes)) / Largest;
  return std::max(float(loadSigned(From, I.ChannelBytes)) / Largest, -1.0f);
}

bool readsFloat(const TextureObject &T) {
  return T.Texels.Format == TexelFormat::Float || T.ReadsNormalized;
}

const char *texelAt(const TexelMemory &I, int64_t X, int64_t Y, int64_t Z) {
  return I.Data + Z * I.SliceBytes + Y * I.RowBytes + X * I.texelBytes();
}

Color colorOf(const TextureObject &T, const char *From) {
  const TexelMemory &I = T.Texels;
  Color C;
  for (unsigned Channel = 0; Channel != I.Channels; ++Channel, From += I.ChannelBytes)
    C.Channels[Channel] =
        I.Format == TexelFormat::Float ? loadFloat(From, I.ChannelBytes) : loadFraction(From, I);
  return C;
}

Texel wordsOf(const Color &C) {
  Texel Result;
  std::memcpy(Result.Words, C.Channels, sizeof(Result.Words));
  return Result;
}

Texel integersOf(const TexelMemory &I, const char *From) {
  Texel Result;
  for (unsigned Channel = 0; Channel != I.Channels; ++Channel, From += I.ChannelBytes)
    Result.Words[Channel] = I.Format == TexelFormat::Signed
                                ? uint32_t(loadSigned(From, I.ChannelBytes))
                                : loadUnsigned(From, I.ChannelBytes);
  return Result;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Brings I into [0, N); -1 for the border.
int64_t inRange(int64_t I, int64_t N, AddressMode Mode, bool Normalized) {
  if (I >= 0 && I < N)
    return I;
  // The others are for normalized coordinates only.
  if (!Normalized && Mode != AddressMode::Border)
    Mode = AddressMode::Clamp;
  const auto Modulo = [](int64_t A, int64_t B) { return (A % B + B) % B; };
  switch (Mode) {
  case AddressMode::Wrap:
    return Modulo(I, N);
  case AddressMode::Mirror: {
    const int64_t Turn = Modulo(I, 2 * N);
    return Turn < N ? Turn : 2 * N - 1 - Turn;
  }
  case AddressMode::Border:
    return -1;
  case AddressMode::Clamp:
    break;
  }
  return std::clamp<int64_t>(I, 0, N - 1);
}

/// The texels that a coordinate lies between, and the weight of the second.
struct Taps {
  int64_t At[2];
  float Weight = 0;
};

Taps tapsOf(const TextureObject &T, unsigned Dimension, float X, bool Two) {
  const uint32_t Sizes[] = {T.Texels.Width, T.Texels.Height, T.Texels.Depth};
  const int64_t N = Sizes[Dimension];
  if (T.Normalized)
    X *= float(N);
  const float From = Two ? X - 0.5f : X;
  const float Low = std::floor(From);
  Taps Result{{whole(Low), whole(Low) + 1}};
  if (const float Weight = From - Low; Weight > 0)
    Result.Weight = std::floor(Weight * 256 + 0.5f) / 256;
  for (int64_t &At : Result.At)
    At = inRange(At, N, T.Address[Dimension], T.Normalized);
  return Result;
}

/// One fetch: which texels, of which slice where the shape has layers.
struct Place {
  unsigned Dimensions;
  Taps Along[3] = {};
  int64_t Layer = 0;

  /// Corner: bit D says which of the two taps along dimension D. Null: the border.
  const char *texel(const TexelMemory &I, unsigned Corner) const {
    int64_t At[3] = {0, 0, Layer};
    for (unsigned D = 0; D != Dimensions; ++D)
      if ((At[D] = Along[D].At[Corner >> D & 1]) < 0)
        return nullptr;
    return texelAt(I, At[0], At[1], At[2]);
  }
  float weight(unsigned Corner) const {
    float W = 1;
    for (unsigned D = 0; D != Dimensions; ++D)
      W *= Corner >> D & 1 ? Along[D].Weight : 1 - Along[D].Weight;
    return W;
  }
};

Color colorAt(const TextureObject &T, const char *From) {
  if (From)
    return colorOf(T, From);
  Color C;
  std::copy_n(T.Border, 4, C.Channels);
  return C;
}

Texel filtered(const TextureObject &T, const Place &P) {
  Color Sum;
  for (unsigned Corner = 0; Corner != 1u << P.Dimensions; ++Corner) {
    const float Weight = P.weight(Corner);
    if (Weight == 0)
      continue; // infinities of texels that do not count
    const Color C = colorAt(T, P.texel(T.Texels, Corner));
    for (unsigned I = 0; I != 4; ++I)
      Sum.Channels[I] += Weight * C.Channels[I];
  }
  return wordsOf(Sum);
}

Texel single(const TextureObject &T, const char *From) {
  if (readsFloat(T))
    return wordsOf(colorAt(T, From));
  return From ? integersOf(T.Texels, From) : Texel();
}

/// One channel of the four texels that a filter would take, counterclockwise from the
/// lower left.
Texel gathered(const TextureObject &T, const Place &P, unsigned Channel) {
  constexpr unsigned Corners[] = {2, 3, 1, 0};
  Texel Result;
  for (unsigned I = 0; I != 4; ++I)
    Result.Words[I] = single(T, P.texel(T.Texels, Corners[I])).Words[Channel];
  return Result;
}

/// The face of a cube that a direction meets, and where, from 0 to 1.
unsigned faceOf(const float (&Direction)[3], float (&On)[2]) {
  const float X = Direction[0], Y = Direction[1], Z = Direction[2];
  const float AX = std::fabs(X), AY = std::fabs(Y), AZ = std::fabs(Z);
  unsigned Face;
  float M, S, T;
  if (AX >= AY && AX >= AZ) {
    Face = X >= 0 ? 0 : 1;
    M = AX, S = X >= 0 ? -Z : Z, T = -Y;
  } else if (AY >= AZ) {
    Face = Y >= 0 ? 2 : 3;
    M = AY, S = X, T = Y >= 0 ? Z : -Z;
  } else {
    Face = Z >= 0 ? 4 : 5;
    M = AZ, S = Z >= 0 ? X : -X, T = -Y;
  }
  On[0] = (S / M + 1) / 2;
  On[1] = (T / M + 1) / 2;
  return Face;
}

} // namespace

//===----------------------------------------------------------------------===//
// What lowered code calls
//===----------------------------------------------------------------------===//

/// Layer is only looked at if there are Layers. Gather: 0, or the channel's number and 1.
static void fetch(uint64_t Handle, TextureShape Shape, uint32_t Layers, int32_t Layer,
                  uint32_t Gather, const float *Coordinates, uint32_t *Out) {
  const TextureObject &T = object(Handle);
  float X[3] = {};
  Place P{std::min(unsigned(Shape), 3u)};
  std::copy_n(Coordinates, P.Dimensions, X);
  P.Layer = Layers ? Layer : 0;
  if (Shape == TextureShape::Cube) {
    float On[2];
    P.Layer = 6 * P.Layer + faceOf(X, On);
    P.Dimensions = 2;
    for (unsigned D = 0; D != 2; ++D)
      X[D] = T.Normalized ? On[D] : On[D] * float(T.Texels.Width);
  }
  P.Layer = std::clamp<int64_t>(P.Layer, 0, T.Texels.Depth - 1);
  const bool Two = T.Linear || Gather;
  for (unsigned D = 0; D != P.Dimensions; ++D)
    P.Along[D] = tapsOf(T, D, X[D], Two);
  const Texel Result = Gather     ? gathered(T, P, Gather - 1)
                       : T.Linear ? filtered(T, P)
                                  : single(T, P.texel(T.Texels, 0));
  std::copy_n(Result.Words, 4, Out);
}

/// tex1Dfetch: by number. Beyond the end there are zeros.
static void fetchElement(uint64_t Handle, int32_t X, uint32_t *Out) {
  const TextureObject &T = object(Handle);
  const bool Inside = X >= 0 && uint32_t(X) < T.Texels.Width;
  const Texel Result = Inside ? single(T, texelAt(T.Texels, X, 0, 0)) : Texel();
  std::copy_n(Result.Words, 4, Out);
}

/// The texels' memory at a place of a surface, of which Coordinates[0] counts bytes; null if
/// there is none and the boundary does not say where to go.
static char *surfaceAt(uint64_t Handle, TextureShape Shape, SurfaceBoundary Boundary,
                       uint32_t Layers, int32_t Layer, const int32_t *Coordinates, uint32_t Bytes) {
  const TextureObject &T = object(Handle);
  const TexelMemory &I = T.Texels;
  int64_t At[3] = {0, 0, Layers ? Layer : 0};
  std::copy_n(Coordinates, unsigned(Shape), At);
  const int64_t Last[3] = {int64_t(I.Width * I.texelBytes()) - Bytes, I.Height - 1, I.Depth - 1};
  for (unsigned D = 0; D != 3; ++D) {
    if (At[D] >= 0 && At[D] <= Last[D])
      continue;
    if (Boundary == SurfaceBoundary::Zero)
      return nullptr;
    if (Boundary == SurfaceBoundary::Trap)
      raiseFault(FaultKind::Trap, 0,
                 "access of a surface at " + std::to_string(At[D]) + " in dimension " +
                     std::to_string(D) + ", which ends at " + std::to_string(Last[D]));
    At[D] = std::clamp<int64_t>(At[D], 0, Last[D]);
  }
  return I.Data + At[2] * I.SliceBytes + At[1] * I.RowBytes + At[0];
}

static void readSurface(uint64_t Handle, TextureShape Shape, SurfaceBoundary Boundary,
                        uint32_t Layers, int32_t Layer, const int32_t *Coordinates, uint32_t Bytes,
                        char *Out) {
  const char *From = surfaceAt(Handle, Shape, Boundary, Layers, Layer, Coordinates, Bytes);
  if (From)
    std::memcpy(Out, From, Bytes);
  else
    std::memset(Out, 0, Bytes);
}

static void writeSurface(uint64_t Handle, TextureShape Shape, SurfaceBoundary Boundary,
                         uint32_t Layers, int32_t Layer, const int32_t *Coordinates, uint32_t Bytes,
                         const char *In) {
  if (char *To = surfaceAt(Handle, Shape, Boundary, Layers, Layer, Coordinates, Bytes))
    std::memcpy(To, In, Bytes);
}

std::span<const Helper> textureHelpers() {
  static const Helper Helpers[] = {
      helper("gm_texture_fetch", fetch),
      helper("gm_texture_fetch_element", fetchElement),
      helper("gm_surface_read", readSurface),
      helper("gm_surface_write", writeSurface),
  };
  return Helpers;
}

} // namespace gmprof::cpu
