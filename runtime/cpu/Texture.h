//===- Texture.h - What a texture or surface handle points to ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// api/ makes these, and device code reads them: a handle is the address of a
// TextureObject.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_TEXTURE_H
#define GMPROF_CPU_TEXTURE_H

#include <cstddef>
#include <cstdint>

namespace gmprof::cpu {

enum class TexelFormat : uint8_t { Unsigned, Signed, Float };

/// Texels in memory, row after row.
struct TexelMemory {
  char *Data = nullptr;
  uint32_t Width = 1, Height = 1, Depth = 1; ///< Depth: or layers
  size_t RowBytes = 0, SliceBytes = 0;
  TexelFormat Format = TexelFormat::Unsigned;
  uint8_t Channels = 1, ChannelBytes = 1;

  size_t texelBytes() const { return size_t(Channels) * ChannelBytes; }
};

enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

struct TextureObject {
  /// Tells a handle from any other number.
  static constexpr uint64_t Magic = 0x545845544d47;
  uint64_t Mark = Magic;
  TexelMemory Texels;
  // Of textures.
  AddressMode Address[3] = {AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  bool Linear = false;          ///< filtered, else the nearest texel
  bool Normalized = false;      ///< coordinates
  bool ReadsNormalized = false; ///< integers as fractions of the largest
  bool OneByOne = false;        ///< linear memory: by number, not by coordinates
  bool OfHost = false;          ///< memory that device code cannot read
  char Border[16] = {};         ///< a texel, as those in memory
};

enum class TextureShape : uint32_t { OneD = 1, TwoD = 2, ThreeD = 3, Cube = 4 };

/// What a surface does with coordinates out of range.
enum class SurfaceBoundary : uint32_t { Zero, Clamp, Trap };

} // namespace gmprof::cpu

#endif // GMPROF_CPU_TEXTURE_H
