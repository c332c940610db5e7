//===- VersionCheck.cpp - Is this the LLVM that the plugin is for? --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's C++ interfaces change with every major version, so a plugin for one
// crashes in another, often as early as in the constructors of its static
// objects. This one runs before those, asks the LLVM that loaded the plugin for
// its version through the stable C interface, and ends the compiler with a
// sentence instead.
//
//===----------------------------------------------------------------------===//

#include "pass/core/Compat.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

__attribute__((constructor(101))) static void checkVersion() {
  using GetVersion = void (*)(unsigned *Major, unsigned *Minor, unsigned *Patch);
  auto *Get = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  unsigned Major = 0;
  if (Get)
    Get(&Major, nullptr, nullptr);
  if (Major == LLVM_VERSION_MAJOR)
    return;
  // The address is in this library, so that dladdr finds the plugin's file.
  Dl_info Info = {};
  dladdr(reinterpret_cast<void *>(&checkVersion), &Info);
  char Found[32] = "an unknown LLVM";
  if (Major)
    snprintf(Found, sizeof(Found), "LLVM %u", Major);
  fprintf(stderr,
          "error: %s (GMProf %s) is built for clang %d, but the compiler that loads it is of %s; "
          "use clang++-%d or gmprof-clang++\n",
          Info.dli_fname ? Info.dli_fname : "libGMPass.so", GMPROF_VERSION, LLVM_VERSION_MAJOR,
          Found, LLVM_VERSION_MAJOR);
  fflush(stderr);
  _exit(1);
}
