//===- Arrays.h - Arrays, textures and surfaces ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is device memory whose address programs do not get. Here its texels lie
// row after row, without gaps. Textures and surfaces say how device code sees an array,
// or memory (cpu/Texture.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARRAYS_H
#define GMPROF_CPU_API_ARRAYS_H

#include "cpu/Texture.h"
#include "cpu/api/Handles.h"
#include "cpu/api/Modules.h"
#include <driver_types.h>
#include <optional>
#include <texture_types.h>

namespace gmprof::cpu::api {

struct Array {
  cudaChannelFormatDesc Format = {};
  cudaExtent Extent = {}; ///< as the program gave it: 0 for dimensions that are not there
  unsigned Flags = 0;
  int Device = 0;
  TexelMemory Texels;
};

HandleTable<Array> &arrays();
/// 1 if there is no such array.
size_t texelBytes(cudaArray_const_t Handle);

/// Origin: the API function, for messages.
Result<std::shared_ptr<Array>> makeArray(const cudaChannelFormatDesc &Format,
                                         const cudaExtent &Extent, unsigned Flags,
                                         const char *Origin);

/// Where a copy of rows begins in an array; X counts bytes.
struct ArrayPlace {
  cudaArray_const_t Handle;
  size_t X, Y;
};
struct Rows {
  size_t Bytes, Count;
};

/// The rows of an array that so many bytes from there on fill; nothing if they are no rectangle.
std::optional<Rows> rowsFrom(const ArrayPlace &At, size_t Bytes);

/// Makes an array a side of a copy, and the copy's extent one of texels. False if there is no
/// such array, or bytes are no whole texels.
bool copyTo(cudaMemcpy3DParms &P, const ArrayPlace &To, const Rows &R);
bool copyFrom(cudaMemcpy3DParms &P, const ArrayPlace &From, const Rows &R);

/// A copy with memory in the places of its arrays; nothing if one is none, or is left.
std::optional<cudaMemcpy3DParms> withoutArrays(cudaMemcpy3DParms P);

struct Texture {
  TextureObject Object; ///< first: its address is the handle
  cudaResourceDesc Resource = {};
  cudaTextureDesc Description = {};
};

HandleTable<Texture> &textures();
HandleTable<Texture> &surfaces();

Result<std::shared_ptr<Texture>> makeTexture(const cudaResourceDesc &Resource,
                                             const cudaTextureDesc &Description);
Result<std::shared_ptr<Texture>> makeSurface(const cudaResourceDesc &Resource);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARRAYS_H
