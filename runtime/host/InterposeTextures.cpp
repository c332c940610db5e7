//===- InterposeTextures.cpp - Texture and surface objects ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

using namespace gmprof::host;

/// The object that a texture or surface is made for; 0: not known.
static uint64_t objectOf(Session &S, const cudaResourceDesc &Resource) {
  auto Number = [](auto *Pointer) { return reinterpret_cast<uint64_t>(Pointer); };
  std::optional<LiveObject> Object;
  switch (Resource.resType) {
  case cudaResourceTypeArray:
    Object = S.objects().findHandle(Number(Resource.res.array.array));
    break;
  case cudaResourceTypeMipmappedArray:
    Object = S.objects().findHandle(Number(Resource.res.mipmap.mipmap));
    break;
  case cudaResourceTypeLinear:
    Object = S.pools().find(Number(Resource.res.linear.devPtr));
    break;
  case cudaResourceTypePitch2D:
    Object = S.pools().find(Number(Resource.res.pitch2D.devPtr));
    break;
  }
  return Object ? Object->Id : 0;
}

/// Of a call that has succeeded.
static void created(unsigned long long Handle, const cudaResourceDesc &Resource) {
  if (Inside::now())
    return;
  Inside Guard;
  if (Session *S = Session::begin())
    S->textures().created(Handle, objectOf(*S, Resource));
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
