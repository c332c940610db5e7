//===- TextureHelpers.cpp - Texture and surface fetches -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the CUDA C++ Programming Guide, "Texture Fetching", and, where that is silent,
// observations on an H200.
//
// Coordinates: texel i spans i to i + 1. A normalized coordinate keeps 21 fractional bits, or 22 or
// 23 if width or height exceed 8192 or 65536 texels; lower bits are dropped. A filter rounds to the
// nearest multiple of 1/256 of a texel, which lies between the centres of texels i and i + 1, i =
// floor(x - 0.5), and weights the second with x - 0.5 - i. Texel addresses are brought into range
// individually. A one-dimensional texture is a row of two dimensions, fetched at y = 0: half of the
// samples above it are border. Coordinates of cubes are always normalized.
//
// Weights are integers that sum up to 256: first divided between slices, then between the texels of
// each.
//
// Sums of integers are exact, rounded to 16 bits (excluding -32768), and converted to a fraction of
// the maximum. Floating-point values of a slice are truncated 4 bits below the last bit of the
// largest one; their sums are exact and rounded to nearest, halves away from zero. Single-precision
// values below the smallest normal number are flushed to zero. Infinities and NaNs count whatever
// their weight.
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "cpu/Engine.h"
#include "cpu/Texture.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace gmprof::cpu {

namespace {

/// Four channels as hardware returns them: float bits or integers.
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

/// Returns a texture whose texels device code may read.
const TextureObject &texture(uint64_t Handle) {
  const TextureObject &T = object(Handle);
  if (T.OfHost)
    raiseFault(FaultKind::IllegalAddress, uint64_t(T.Texels.Data),
               "the texture is of host memory that the device cannot read");
  return T;
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

/// Returns a channel as a number in [0, 1] or [-1, 1].
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

/// Brings I into [0, N); returns -1 for the border.
int64_t inRange(int64_t I, int64_t N, AddressMode Mode) {
  if (I >= 0 && I < N)
    return I;
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

/// Addressing of one dimension of a texture.
struct Axis {
  int64_t Size;
  AddressMode Mode;
  bool Normalized;
  double Unit; ///< resolution of normalized coordinates: steps per 1
};

Axis axisOf(const TextureObject &T, unsigned Dimension, bool Normalized) {
  const TexelMemory &I = T.Texels;
  const uint32_t Sizes[] = {I.Width, I.Height, I.Depth}, Larger = std::max(I.Width, I.Height);
  AddressMode Mode = T.Address[Dimension];
  // The other modes are for normalized coordinates only.
  if (!Normalized && Mode != AddressMode::Border)
    Mode = AddressMode::Clamp;
  const double Unit = Larger > 65536 ? 0x1p23 : Larger > 8192 ? 0x1p22 : 0x1p21;
  return {Sizes[Dimension], Mode, Normalized, Unit};
}

/// Replaces NaN and denormals by zero.
double flushed(float Coordinate) {
  return std::isnormal(Coordinate) || std::isinf(Coordinate) ? Coordinate : 0;
}

/// Converts a coordinate to texels, clamped to the vicinity of the texture.
double texels(const Axis &A, double X) {
  if (A.Normalized) {
    X = std::floor(X * A.Unit) / A.Unit;
    const double Period = A.Mode == AddressMode::Wrap ? 1 : A.Mode == AddressMode::Mirror ? 2 : 0;
    if (Period != 0)
      X = std::isinf(X) ? 0 : X - Period * std::floor(X / Period);
    X *= double(A.Size);
  }
  return std::clamp(X, -2.0, 2.0 * double(A.Size) + 2);
}

/// Texels on both sides of a coordinate, and the weight of the second, in 1/256.
struct Taps {
  int64_t At[2] = {0, 0};
  int Weight = 0;
};

Taps nearestTap(const Axis &A, double Coordinate) {
  const int64_t At = inRange(int64_t(std::floor(texels(A, Coordinate))), A.Size, A.Mode);
  return {{At, At}, 0};
}

Taps filterTaps(const Axis &A, double Coordinate) {
  const int64_t X = int64_t(std::floor(texels(A, Coordinate) * 256 + 0.5)) - 128;
  Taps Result{{inRange(X >> 8, A.Size, A.Mode), inRange((X >> 8) + 1, A.Size, A.Mode)},
              int(X & 255)};
  // Clamping applies to the coordinate.
  if (A.Mode == AddressMode::Clamp && Result.At[0] == Result.At[1])
    Result.Weight = 0;
  return Result;
}

/// Texels of a fetch, and their slice if the shape has layers.
struct Place {
  unsigned Dimensions;
  Taps Along[3] = {};
  int64_t Layer = 0;

  /// Returns the texel of a corner; bit D selects the tap along dimension D.
  const char *texel(const TextureObject &T, unsigned Corner) const {
    int64_t At[3] = {0, 0, Layer};
    for (unsigned D = 0; D != Dimensions; ++D)
      if ((At[D] = Along[D].At[Corner >> D & 1]) < 0)
        return T.Border;
    return texelAt(T.Texels, At[0], At[1], At[2]);
  }
};

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// The eight texels around a place, slice by slice; null along absent dimensions.
struct Corners {
  const char *Texels[8] = {};
  int Weights[8] = {};
};

/// Divides Scale among four texels: first along x, then along y. Halves go to the upper left and
/// the lower right.
void quad(int Scale, int X, int Y, int *Weights) {
  const auto Part = [](int Of, int Weight) { return (Of * Weight + 128) >> 8; };
  const int Right = Part(Scale, X), Left = Scale - Right;
  Weights[0] = Part(Left, 256 - Y);
  Weights[2] = Left - Weights[0];
  Weights[3] = Part(Right, Y);
  Weights[1] = Right - Weights[3];
}

Corners cornersOf(const TextureObject &T, const Place &P) {
  Corners Result;
  const int X = P.Along[0].Weight, Y = P.Along[1].Weight, Z = P.Along[2].Weight;
  quad(256 - Z, X, Y, Result.Weights);
  quad(Z, X, Y, Result.Weights + 4);
  const unsigned Absent = (X == 0 ? 1 : 0) | (Y == 0 ? 2 : 0) | (Z == 0 ? 4 : 0);
  for (unsigned Corner = 0; Corner != 8; ++Corner)
    if ((Corner & Absent) == 0)
      Result.Texels[Corner] = P.texel(T, Corner);
  return Result;
}

/// Returns the weighted sum of integers, as a fraction of the maximum.
float filteredFraction(const Corners &C, const TexelMemory &I, unsigned Offset) {
  const bool Signed = I.Format == TexelFormat::Signed, Bytes = I.ChannelBytes == 1;
  int Sum = 0; // 8 fractional bits
  for (unsigned Corner = 0; Corner != 8; ++Corner)
    if (const char *From = C.Texels[Corner])
      Sum += C.Weights[Corner] * (Signed ? loadSigned(From + Offset, I.ChannelBytes)
                                         : int(loadUnsigned(From + Offset, I.ChannelBytes)));
  if (!Signed)
    return float(((Bytes ? Sum * 257 : Sum) + 128) >> 8) / 65535;
  // Scales by 32767/127, approximated by 1 + 2^-7 + 2^-15, each term with 3 fractional bits.
  const int Wide = Bytes ? (8 * Sum + (Sum >> 4) + (Sum >> 12) + 4) >> 3 : (Sum + 128) >> 8;
  return float(std::max(Wide, -32767)) / 32767;
}

/// Rounds to `Bits` bits of significand, halves away from zero.
double rounded(double X, unsigned Bits) {
  const unsigned Dropped = 53 - Bits;
  const uint64_t Half = uint64_t(1) << (Dropped - 1);
  return std::bit_cast<double>((std::bit_cast<uint64_t>(X) + Half) & ~(2 * Half - 1));
}

float roundedToFloat(double X) {
  const double R = rounded(X, 24);
  return std::fabs(R) < FLT_MIN ? 0 : float(R);
}

float roundedToHalf(double X) {
  if (std::fabs(X) >= 0x1p-14)
    return float(rounded(X, 11));
  return float(std::copysign(std::floor(std::fabs(X) * 0x1p24 + 0.5) * 0x1p-24, X));
}

/// Returns the sum of infinities and NaNs; 0 if there are none.
float sumOfUnbounded(const float (&Values)[8]) {
  float Sum = 0;
  for (const float V : Values)
    if (!std::isfinite(V))
      Sum += V;
  return std::isnan(Sum) ? std::numeric_limits<float>::quiet_NaN() : Sum;
}

/// Returns the weighted sum of a slice, times 256. Bits: fraction bits of the values.
double sumOfSlice(const float *Values, const int *Weights, int Bits, float Smallest) {
  float Largest = Smallest;
  for (unsigned I = 0; I != 4; ++I)
    if (Weights[I] != 0)
      Largest = std::max(Largest, std::fabs(Values[I]));
  const double Unit = std::ldexp(1.0, std::ilogb(Largest) - Bits - 4);
  int64_t Sum = 0;
  for (unsigned I = 0; I != 4; ++I)
    if (Weights[I] != 0)
      Sum += Weights[I] * int64_t(Values[I] / Unit);
  return double(Sum) * Unit;
}

float filteredFloat(const Corners &C, const TexelMemory &I, unsigned Offset) {
  const bool Half = I.ChannelBytes == 2;
  const float Smallest = Half ? 0x1p-14f : FLT_MIN;
  float Values[8] = {};
  bool Negative = true; // all values are negative zeros
  for (unsigned Corner = 0; Corner != 8; ++Corner) {
    if (!C.Texels[Corner])
      continue;
    float &V = Values[Corner];
    V = loadFloat(C.Texels[Corner] + Offset, I.ChannelBytes);
    if (!Half && std::fabs(V) < FLT_MIN)
      V = std::copysign(0.0f, V);
    Negative &= V == 0 && std::signbit(V);
  }
  if (const float Sum = sumOfUnbounded(Values); Sum != 0)
    return Sum;
  if (Negative)
    return -0.0f;
  const int Bits = Half ? 10 : 23;
  const double Sum = (sumOfSlice(Values, C.Weights, Bits, Smallest) +
                      sumOfSlice(Values + 4, C.Weights + 4, Bits, Smallest)) /
                     256;
  return Half ? roundedToHalf(Sum) : roundedToFloat(Sum);
}

Texel filtered(const TextureObject &T, const Place &P) {
  const Corners C = cornersOf(T, P);
  Color Sum;
  for (unsigned Channel = 0; Channel != T.Texels.Channels; ++Channel) {
    const unsigned Offset = Channel * T.Texels.ChannelBytes;
    Sum.Channels[Channel] = T.Texels.Format == TexelFormat::Float
                                ? filteredFloat(C, T.Texels, Offset)
                                : filteredFraction(C, T.Texels, Offset);
  }
  return wordsOf(Sum);
}

Texel single(const TextureObject &T, const char *From) {
  return readsFloat(T) ? wordsOf(colorOf(T, From)) : integersOf(T.Texels, From);
}

/// Returns one channel of the four texels of a filter, counterclockwise from the lower left.
Texel gathered(const TextureObject &T, const Place &P, unsigned Channel) {
  constexpr unsigned Corners[] = {2, 3, 1, 0};
  Texel Result;
  for (unsigned I = 0; I != 4; ++I)
    Result.Words[I] = single(T, P.texel(T, Corners[I])).Words[Channel];
  return Result;
}

/// Intersection of a direction with a cube.
struct OnCube {
  unsigned Face;
  double X, Y; ///< in [0, 1]
};

OnCube onCube(const double (&Direction)[3]) {
  const auto [X, Y, Z] = Direction;
  const double AX = std::fabs(X), AY = std::fabs(Y), AZ = std::fabs(Z);
  const auto On = [](double Part, double Whole) {
    const double At = (Part / Whole + 1) / 2;
    return std::isfinite(At) ? At : 0.5;
  };
  if (AZ >= AX && AZ >= AY)
    return {Z >= 0 ? 4u : 5u, On(Z >= 0 ? X : -X, AZ), On(-Y, AZ)};
  if (AY >= AX)
    return {Y >= 0 ? 2u : 3u, On(X, AY), On(Y >= 0 ? Z : -Z, AY)};
  return {X >= 0 ? 0u : 1u, On(X >= 0 ? -Z : Z, AX), On(-Y, AX)};
}

} // namespace

//===----------------------------------------------------------------------===//
// Helpers called by lowered code
//===----------------------------------------------------------------------===//

/// Fetches a texel. Layer is ignored unless Layers is set. Gather: 0, or 1 + channel. Yields zeros
/// if there are no texels, or none addressed by coordinates.
static void fetch(uint64_t Handle, TextureShape Shape, uint32_t Layers, int32_t Layer,
                  uint32_t Gather, const float *Coordinates, uint32_t *Out) {
  const TextureObject &T = texture(Handle);
  if (T.OneByOne || T.Texels.Width == 0 || T.Texels.Height == 0) {
    std::fill_n(Out, 4, 0);
    return;
  }
  const bool Cube = Shape == TextureShape::Cube;
  double X[3] = {};
  for (unsigned D = 0; D != std::min(unsigned(Shape), 3u); ++D)
    X[D] = flushed(Coordinates[D]);
  Place P{Cube || (Shape == TextureShape::OneD && !Layers) ? 2 : unsigned(Shape)};
  if (Layers) // negative ones wrap to beyond the last
    P.Layer = std::min(uint32_t(Layer), std::max(T.Texels.Depth / (Cube ? 6 : 1), 1u) - 1);
  if (Cube) {
    const OnCube On = onCube(X);
    P.Layer = std::min<int64_t>(6 * P.Layer + On.Face, T.Texels.Depth - 1);
    X[0] = On.X, X[1] = On.Y;
  }
  for (unsigned D = 0; D != P.Dimensions; ++D) {
    const Axis A = axisOf(T, D, T.Normalized || Cube);
    P.Along[D] = T.Linear || Gather ? filterTaps(A, X[D]) : nearestTap(A, X[D]);
  }
  const Texel Result = Gather     ? gathered(T, P, Gather - 1)
                       : T.Linear ? filtered(T, P)
                                  : single(T, P.texel(T, 0));
  std::copy_n(Result.Words, 4, Out);
}

/// Fetches by index (tex1Dfetch). Yields zeros beyond the end, and if texels are addressed by
/// coordinates.
static void fetchElement(uint64_t Handle, int32_t X, uint32_t *Out) {
  const TextureObject &T = texture(Handle);
  const bool Inside = T.OneByOne && X >= 0 && uint32_t(X) < T.Texels.Width;
  const Texel Result = Inside ? single(T, texelAt(T.Texels, X, 0, 0)) : Texel();
  std::copy_n(Result.Words, 4, Out);
}

/// Returns the address of a surface's texels; Coordinates[0] is in bytes. Returns null if the place
/// is out of range and the boundary mode is zero.
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
      raiseFault(FaultKind::IllegalAddress, 0,
                 "access of a surface at " + std::to_string(At[D]) + " in dimension " +
                     std::to_string(D) + ", which ends at " + std::to_string(Last[D]));
    At[D] = std::clamp<int64_t>(At[D], 0, Last[D]);
  }
  if (At[0] % Bytes != 0)
    raiseFault(FaultKind::MisalignedAddress, 0,
               "access of " + std::to_string(Bytes) + " bytes of a surface at byte " +
                   std::to_string(At[0]) + " of a row");
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
