//===- Textures.cpp - Array, texture and surface functions of libcudart ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arrays.h"
#include "cpu/api/Capture.h"
#include "cpu/api/Memory.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

cudaError_t allocate(cudaArray_t *Out, const cudaChannelFormatDesc *Format,
                     const cudaExtent &Extent, unsigned Flags, const char *Origin) {
  return call([&] {
    if (cudaError_t Error = refuseUnsafeCall())
      return Error;
    if (!Out || !Format)
      return cudaErrorInvalidValue;
    Result<std::shared_ptr<Array>> A = makeArray(*Format, Extent, Flags, Origin);
    *Out = A ? static_cast<cudaArray_t>(arrays().add(A.Value)) : nullptr;
    return A.Error;
  });
}

/// Registers a texture or surface; its handle is its address.
template <typename Handle>
cudaError_t create(Handle *Out, HandleTable<Texture> &Table,
                   const Result<std::shared_ptr<Texture>> &Made) {
  if (Made)
    *Out = reinterpret_cast<Handle>(Table.add(Made.Value));
  return Made.Error;
}

const void *pointer(unsigned long long Handle) {
  return reinterpret_cast<const void *>(Handle); // NOLINT(performance-no-int-to-ptr)
}

template <typename T, typename Function>
cudaError_t describe(HandleTable<Texture> &Table, T *Out, unsigned long long Handle, Function Of) {
  return call([&] {
    std::shared_ptr<Texture> Found = Table.find(pointer(Handle));
    if (!Out || !Found)
      return cudaErrorInvalidValue;
    *Out = Of(*Found);
    return cudaSuccess;
  });
}

cudaError_t destroy(HandleTable<Texture> &Table, unsigned long long Handle) {
  return call([&] {
    return Handle == 0 || Table.remove(pointer(Handle)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

} // namespace

cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W,
                                            cudaChannelFormatKind Kind) {
  return {X, Y, Z, W, Kind};
}

cudaError_t cudaMallocArray(cudaArray_t *Out, const cudaChannelFormatDesc *Format, size_t Width,
                            size_t Height, unsigned Flags) {
  return allocate(Out, Format, {Width, Height, 0}, Flags, "cudaMallocArray");
}

cudaError_t cudaMalloc3DArray(cudaArray_t *Out, const cudaChannelFormatDesc *Format,
                              cudaExtent Extent, unsigned Flags) {
  return allocate(Out, Format, Extent, Flags, "cudaMalloc3DArray");
}

cudaError_t cudaFreeArray(cudaArray_t Handle) {
  return call([&] {
    if (cudaError_t Error = refuseUnsafeCall())
      return Error;
    if (!Handle)
      return cudaSuccess;
    std::shared_ptr<Array> A = arrays().find(Handle);
    if (!A)
      return cudaErrorInvalidValue;
    device(A->Device).allWork()->wait();
    arrays().remove(Handle);
    memory().release(A->Texels.Data);
    return device(A->Device).failure();
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *Format, cudaExtent *Extent, unsigned *Flags,
                             cudaArray_t Handle) {
  return call([&] {
    std::shared_ptr<Array> A = arrays().find(Handle);
    if (!A)
      return cudaErrorInvalidValue;
    if (Format)
      *Format = A->Format;
    if (Extent)
      *Extent = A->Extent;
    if (Flags)
      *Flags = A->Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *Format, cudaArray_const_t Handle) {
  return call([&] {
    std::shared_ptr<Array> A = arrays().find(Handle);
    if (!Format || !A)
      return cudaErrorInvalidValue;
    *Format = A->Format;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *Out, const cudaResourceDesc *Resource,
                                    const cudaTextureDesc *Description,
                                    const cudaResourceViewDesc *View) {
  return call([&] {
    if (!Out || !Resource || !Description)
      return cudaErrorInvalidValue;
    if (View && View->format != cudaResViewFormatNone) {
      complainThatItLacks("a texture that views an array in another format");
      return cudaErrorNotSupported;
    }
    return create(Out, textures(), makeTexture(*Resource, *Description));
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t Handle) {
  return destroy(textures(), Handle);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *Out, cudaTextureObject_t Handle) {
  return describe(textures(), Out, Handle, [](const Texture &T) { return T.Resource; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *Out, cudaTextureObject_t Handle) {
  return describe(textures(), Out, Handle, [](const Texture &T) { return T.Description; });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *Out, const cudaResourceDesc *Resource) {
  return call([&] {
    if (!Out || !Resource)
      return cudaErrorInvalidValue;
    return create(Out, surfaces(), makeSurface(*Resource));
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t Handle) {
  return destroy(surfaces(), Handle);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *Out, cudaSurfaceObject_t Handle) {
  return describe(surfaces(), Out, Handle, [](const Texture &T) { return T.Resource; });
}
