//===- Texture.h - Texture and surface objects ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is the address of a TextureObject, which api/ creates and device code reads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_TEXTURE_H
#define GMPROF_CPU_TEXTURE_H

#include <cstddef>
#include <cstdint>

namespace gmprof::cpu {

enum class TexelFormat : uint8_t { Unsigned, Signed, Float };

/// Texels in memory, stored row by row.
struct TexelMemory {
  char *Data = nullptr;
  uint32_t Width = 1, Height = 1, Depth = 1; ///< Depth is the number of layers in layered arrays
  size_t RowBytes = 0, SliceBytes = 0;
  TexelFormat Format = TexelFormat::Unsigned;
  uint8_t Channels = 1, ChannelBytes = 1;

  size_t texelBytes() const { return size_t(Channels) * ChannelBytes; }
};

enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

/// Object behind a texture or surface handle.
struct TextureObject {
  /// Mark of a valid object.
  static constexpr uint64_t Magic = 0x545845544d47;
  uint64_t Mark = Magic;
  TexelMemory Texels;
  // Fields of textures.
  AddressMode Address[3] = {AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  bool Linear = false;          ///< linear filtering, else nearest texel
  bool Normalized = false;      ///< normalized coordinates
  bool ReadsNormalized = false; ///< integers are read as fractions of their maximum
  bool OneByOne = false;        ///< linear memory: accessed by index, not by coordinates
  bool OfHost = false;          ///< host memory, which device code cannot read
  char Border[16] = {};         ///< one texel, in the format of texels in memory
};

enum class TextureShape : uint32_t { OneD = 1, TwoD = 2, ThreeD = 3, Cube = 4 };

/// Effect of out-of-range coordinates on a surface access.
enum class SurfaceBoundary : uint32_t { Zero, Clamp, Trap };

} // namespace gmprof::cpu

#endif // GMPROF_CPU_TEXTURE_H
