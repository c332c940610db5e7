//===- RuntimeApi.cpp - The real libcudart behind the interposed functions ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/RuntimeApi.h"
#include <atomic>
#include <dlfcn.h>

namespace gmprof::host {
namespace {

const char *const Names[] = {
#define GMPROF_RUNTIME_NAME(name) #name,
#define GMPROF_TEXT(word) #word
#define GMPROF_PTDS_OF_GMPROF_RUNTIME_NAME(name) GMPROF_TEXT(name##_ptds),
#define GMPROF_PTSZ_OF_GMPROF_RUNTIME_NAME(name) GMPROF_TEXT(name##_ptsz),
    GMPROF_RUNTIME_FUNCTIONS(GMPROF_RUNTIME_NAME) GMPROF_RUNTIME_TRANSFERS(GMPROF_RUNTIME_NAME)
#undef GMPROF_RUNTIME_NAME
#undef GMPROF_PTDS_OF_GMPROF_RUNTIME_NAME
#undef GMPROF_PTSZ_OF_GMPROF_RUNTIME_NAME
#undef GMPROF_TEXT
};

std::atomic<void *> Functions[std::size(Names)];

void *findFunction(const char *Name) {
  if (void *Next = dlsym(RTLD_NEXT, Name))
    return Next;
  // Never unloaded by us: the handle is left open on purpose.
  void *Library = dlopen("libcudart.so.13", RTLD_LAZY | RTLD_NOLOAD);
  return Library ? dlsym(Library, Name) : nullptr;
}

} // namespace

void *realFunction(RuntimeFunction Function) {
  auto Index = static_cast<size_t>(Function);
  void *Found = Functions[Index].load(std::memory_order_acquire);
  if (!Found) {
    Found = findFunction(Names[Index]);
    Functions[Index].store(Found, std::memory_order_release);
  }
  return Found;
}

} // namespace gmprof::host
