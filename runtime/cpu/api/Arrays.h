//===- Arrays.h - Arrays, textures and surfaces -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is device memory without an address visible to the program. Its texels are stored row by
// row without gaps. Textures and surfaces describe how device code accesses an array or memory
// (cpu/Texture.h).
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

/// CUDA array.
struct Array {
  cudaChannelFormatDesc Format = {};
  cudaExtent Extent = {}; ///< as given by the program: 0 for absent dimensions
  unsigned Flags = 0;
  int Device = 0;
  TexelMemory Texels;
};

HandleTable<Array> &arrays();
/// Returns the size of a texel; 1 if there is no such array.
size_t texelBytes(cudaArray_const_t Handle);

/// Creates an array. Origin: the API function, for messages.
Result<std::shared_ptr<Array>> makeArray(const cudaChannelFormatDesc &Format,
                                         const cudaExtent &Extent, unsigned Flags,
                                         const char *Origin);

/// Start of a copy of rows in an array; X is in bytes.
struct ArrayPlace {
  cudaArray_const_t Handle;
  size_t X, Y;
};
struct Rows {
  size_t Bytes, Count;
};

/// Returns the rows of the array that `Bytes` bytes from `At` on cover; nothing if they are no
/// rectangle.
std::optional<Rows> rowsFrom(const ArrayPlace &At, size_t Bytes);

/// Makes an array one side of a copy and expresses the copy's extent in texels. Returns false if
/// there is no such array, or if sizes are no multiple of a texel.
bool copyTo(cudaMemcpy3DParms &P, const ArrayPlace &To, const Rows &R);
bool copyFrom(cudaMemcpy3DParms &P, const ArrayPlace &From, const Rows &R);

/// Returns the copy with arrays replaced by their memory; nothing if an array is invalid or
/// exceeded.
std::optional<cudaMemcpy3DParms> withoutArrays(cudaMemcpy3DParms P);

/// Texture or surface.
struct Texture {
  TextureObject Object; ///< must be first: its address is the handle
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
