//===- UserApi.cpp - Functions of gmprof/gmprof.h -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements gmprof/gmprof.h, which finds these functions by name. The program calls them after the
// related calls of libcudart, so a session exists; if nothing is profiled, they have no effect.
//
//===----------------------------------------------------------------------===//

#include "gmprof/gmprof.h"
#include "host/core/Export.h"
#include "host/core/Session.h"

using namespace gmprof::host;

namespace {

uint64_t number(const void *Pointer) { return reinterpret_cast<uint64_t>(Pointer); }

gmprof_pool createPool(const void *Slab, size_t Bytes, const char *Name) {
  Session *S = Session::begin();
  return S ? S->pools().create(number(Slab), Bytes, Name) : 0;
}

void destroyPool(gmprof_pool Pool) {
  if (Session *S = Session::last())
    S->pools().destroy(Pool, GMPROF_CALLER);
}

void allocateFromPool(gmprof_pool Pool, const void *Pointer, size_t Bytes, const char *Name) {
  if (Session *S = Session::begin())
    S->pools().allocate(Pool, number(Pointer), Bytes, Name, GMPROF_CALLER);
}

void releaseToPool(gmprof_pool Pool, const void *Pointer) {
  if (Session *S = Session::last())
    S->pools().release(Pool, number(Pointer), GMPROF_CALLER);
}

void nameObject(const void *Pointer, const char *Name) {
  if (Session *S = Name ? Session::begin() : nullptr)
    S->pools().name(number(Pointer), Name);
}

void pushRegion(const char *Name) {
  if (Session *S = Session::begin())
    S->log().region(Name ? Name : "");
}

void popRegion() {
  if (Session *S = Session::begin())
    S->log().regionEnd();
}

} // namespace

GMPROF_INTERPOSE const gmprof_user_functions *gmprof_user_api(unsigned Version) {
  static constexpr gmprof_user_functions Functions = {
      createPool, destroyPool, allocateFromPool, releaseToPool, nameObject, pushRegion, popRegion};
  return Version == GMPROF_USER_API_VERSION ? &Functions : nullptr;
}
