//===- InterposeTextures.cpp - Texture and surface objects ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"

using namespace gmprof::host;

/// Returns the object of a texture or surface.
static std::optional<LiveObject> objectOf(Session &S, const cudaResourceDesc &Resource) {
  auto Number = [](auto *Pointer) { return reinterpret_cast<uint64_t>(Pointer); };
  switch (Resource.resType) {
  case cudaResourceTypeArray:
    return S.objects().findHandle(Number(Resource.res.array.array));
  case cudaResourceTypeMipmappedArray:
    return S.objects().findHandle(Number(Resource.res.mipmap.mipmap));
  case cudaResourceTypeLinear:
    return S.pools().find(Number(Resource.res.linear.devPtr));
  case cudaResourceTypePitch2D:
    return S.pools().find(Number(Resource.res.pitch2D.devPtr));
  }
  return std::nullopt;
}

static std::optional<LiveObject> objectOf(Session &S, const CUDA_RESOURCE_DESC &Resource) {
  auto Number = [](auto *Pointer) { return reinterpret_cast<uint64_t>(Pointer); };
  switch (Resource.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    return S.objects().findHandle(Number(Resource.res.array.hArray));
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    return S.objects().findHandle(Number(Resource.res.mipmap.hMipmappedArray));
  case CU_RESOURCE_TYPE_LINEAR:
    return S.pools().find(Resource.res.linear.devPtr);
  case CU_RESOURCE_TYPE_PITCH2D:
    return S.pools().find(Resource.res.pitch2D.devPtr);
  }
  return std::nullopt;
}

/// Registers the handle of a call that has succeeded.
template <typename Description>
static void created(unsigned long long Handle, const Description &Resource) {
  if (Inside::now())
    return;
  Inside Guard;
  Session *S = Session::begin();
  if (!S)
    return;
  std::optional<LiveObject> Object = objectOf(*S, Resource);
  S->textures().created(Handle, Object ? Object->Id : 0);
}

static void destroyed(unsigned long long Handle) {
  if (Session *S = Session::current())
    S->textures().destroyed(Handle);
}

GMPROF_INTERPOSE cudaError_t cudaCreateTextureObject(cudaTextureObject_t *Texture,
                                                     const cudaResourceDesc *Resource,
                                                     const cudaTextureDesc *Description,
                                                     const cudaResourceViewDesc *View) {
  cudaError_t Error = GMPROF_REAL(cudaCreateTextureObject, Texture, Resource, Description, View);
  if (Error == cudaSuccess)
    created(*Texture, *Resource);
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaDestroyTextureObject(cudaTextureObject_t Texture) {
  destroyed(Texture);
  return GMPROF_REAL(cudaDestroyTextureObject, Texture);
}

GMPROF_INTERPOSE cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *Surface,
                                                     const cudaResourceDesc *Resource) {
  cudaError_t Error = GMPROF_REAL(cudaCreateSurfaceObject, Surface, Resource);
  if (Error == cudaSuccess)
    created(*Surface, *Resource);
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t Surface) {
  destroyed(Surface);
  return GMPROF_REAL(cudaDestroySurfaceObject, Surface);
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE_DRIVER(cuTexObjectCreate,
                        (CUtexObject * Texture, const CUDA_RESOURCE_DESC *Resource,
                         const CUDA_TEXTURE_DESC *Description,
                         const CUDA_RESOURCE_VIEW_DESC *View)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuTexObjectCreate, Texture, Resource, Description, View);
  if (Error == cudaSuccess)
    created(*Texture, *Resource);
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuTexObjectDestroy, (CUtexObject Texture)) {
  destroyed(Texture);
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuTexObjectDestroy, Texture));
}

GMPROF_INTERPOSE_DRIVER(cuSurfObjectCreate,
                        (CUsurfObject * Surface, const CUDA_RESOURCE_DESC *Resource)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuSurfObjectCreate, Surface, Resource);
  if (Error == cudaSuccess)
    created(*Surface, *Resource);
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuSurfObjectDestroy, (CUsurfObject Surface)) {
  destroyed(Surface);
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuSurfObjectDestroy, Surface));
}
