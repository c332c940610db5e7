//===- InterposeModules.cpp - Modules that come and go --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library that is closed takes its kernels along; what is loaded next
// may have other ones at the same addresses.
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

using namespace gmprof::host;

GMPROF_INTERPOSE void __cudaUnregisterFatBinary(void **Binary) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  auto *Real = reinterpret_cast<decltype(&__cudaUnregisterFatBinary)>(
      realFunction(RuntimeFunction::__cudaUnregisterFatBinary));
  if (Real)
    Real(Binary);
  if (S)
    S->moduleUnloaded();
}
